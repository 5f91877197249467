//! Models around another one, which change what matters and pass the rest on.

/// Within `impl System`: these functions are those of the field `inner`.
#[macro_export]
macro_rules! pass_on {
    ($($function:ident),* $(,)?) => { $( $crate::pass_on!(@$function); )* };
    (@dimensions) => {
        fn dimensions(&self) -> ::geoms::layout::Dimensions {
            self.inner.dimensions()
        }
    };
    (@form) => {
        fn form(&self) -> ::geoms::layout::Form {
            self.inner.form()
        }
    };
    (@eom) => {
        fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> ::geoms::system::Outcome {
            self.inner.eom(t, x, rda)
        }
    };
    (@mass) => {
        fn mass(&mut self, t: f64, x: &[f64], mass: &mut [f64]) -> ::geoms::system::Outcome {
            self.inner.mass(t, x, mass)
        }
    };
    (@has_jacobian) => {
        fn has_jacobian(&self) -> bool {
            self.inner.has_jacobian()
        }
    };
    (@jacobian) => {
        fn jacobian(
            &mut self,
            t: f64,
            x: &[f64],
            fx: &mut ::geoms::system::JacobianBlocks,
        ) -> ::geoms::system::Outcome {
            self.inner.jacobian(t, x, fx)
        }
    };
    (@initial_condition_count) => {
        fn initial_condition_count(&self) -> usize {
            self.inner.initial_condition_count()
        }
    };
    (@initial_conditions) => {
        fn initial_conditions(&mut self, t: f64, x: &[f64], cond: &mut [f64]) -> ::geoms::system::Outcome {
            self.inner.initial_conditions(t, x, cond)
        }
    };
    (@sparsity) => {
        fn sparsity(&self) -> Option<&::geoms::system::Sparsity> {
            self.inner.sparsity()
        }
    };
    (@has_entries) => {
        fn has_entries(&self) -> bool {
            self.inner.has_entries()
        }
    };
    (@entries) => {
        fn entries(&mut self, t: f64, x: &[f64], of: ::geoms::system::Entries<'_>) -> ::geoms::system::Outcome {
            self.inner.entries(t, x, of)
        }
    };
}
