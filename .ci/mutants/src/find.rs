//! Where a source file can be changed, and how.

use std::collections::BTreeSet;
use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// How a mutant is written into the source.
pub enum Change {
    /// The expression is another one.
    Instead(String),
    /// The condition is the opposite.
    Negated,
    /// The statement is left out.
    Deleted,
    /// The function returns this at once; the range is empty, behind the brace.
    Returned(String),
}

/// One mutant.
pub struct Site {
    pub range: Range<usize>,
    pub line: usize,
    pub what: String,
    pub change: Change,
}

struct Finder<'a> {
    text: &'a str,
    /// Constants of type f64 of this file.
    constants: BTreeSet<String>,
    sites: Vec<Site>,
}

/// All mutants of a file.
pub fn find(text: &str) -> Result<Vec<Site>, syn::Error> {
    let file = syn::parse_file(text)?;
    let mut constants = Constants(BTreeSet::new());
    constants.visit_file(&file);
    let mut finder = Finder { text, constants: constants.0, sites: Vec::new() };
    finder.visit_file(&file);
    Ok(finder.sites)
}

struct Constants(BTreeSet<String>);

impl<'ast> Visit<'ast> for Constants {
    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        if matches!(&*item.ty, syn::Type::Path(path) if path.path.is_ident("f64")) {
            self.0.insert(item.ident.to_string());
        }
    }
}

fn for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|a| {
        a.path().is_ident("test")
            || a.path().is_ident("cfg")
                && a.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    })
}

/// What a function of this type might return without doing anything.
fn defaults(output: &syn::ReturnType) -> Vec<String> {
    let syn::ReturnType::Type(_, ty) = output else { return vec!["()".into()] };
    let syn::Type::Path(path) = &**ty else { return Vec::new() };
    let Some(last) = path.path.segments.last() else { return Vec::new() };
    let of = |list: &[&str]| list.iter().map(ToString::to_string).collect();
    match last.ident.to_string().as_str() {
        "f64" => of(&["0.0", "1.0"]),
        "bool" => of(&["true", "false"]),
        "usize" | "u32" | "u64" | "i32" | "i64" => of(&["0", "1"]),
        "Option" => of(&["None"]),
        "Vec" => of(&["Vec::new()"]),
        "Result" => {
            let syn::PathArguments::AngleBracketed(list) = &last.arguments else { return Vec::new() };
            match list.args.first() {
                Some(syn::GenericArgument::Type(syn::Type::Tuple(t))) if t.elems.is_empty() => of(&["Ok(())"]),
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

fn swapped(op: &syn::BinOp) -> Option<(&'static str, &'static str)> {
    use syn::BinOp::*;
    Some(match op {
        Add(_) => ("+", "-"),
        Sub(_) => ("-", "+"),
        Mul(_) => ("*", "/"),
        Div(_) => ("/", "*"),
        Lt(_) => ("<", "<="),
        Le(_) => ("<=", "<"),
        Gt(_) => (">", ">="),
        Ge(_) => (">=", ">"),
        Eq(_) => ("==", "!="),
        Ne(_) => ("!=", "=="),
        And(_) => ("&&", "||"),
        Or(_) => ("||", "&&"),
        AddAssign(_) => ("+=", "-="),
        SubAssign(_) => ("-=", "+="),
        MulAssign(_) => ("*=", "/="),
        DivAssign(_) => ("/=", "*="),
        _ => return None,
    })
}

fn has_let(condition: &syn::Expr) -> bool {
    match condition {
        syn::Expr::Let(_) => true,
        syn::Expr::Binary(b) => has_let(&b.left) || has_let(&b.right),
        syn::Expr::Paren(p) => has_let(&p.expr),
        _ => false,
    }
}

impl Finder<'_> {
    fn source(&self, node: &impl Spanned) -> String {
        self.text[node.span().byte_range()].to_string()
    }

    fn add(&mut self, node: &impl Spanned, what: String, change: Change) {
        let span = node.span();
        self.sites.push(Site { range: span.byte_range(), line: span.start().line, what, change });
    }

    fn function(&mut self, signature: &syn::Signature, block: &syn::Block) {
        if signature.constness.is_some() {
            return;
        }
        let brace = block.brace_token.span.open();
        let behind = brace.byte_range().end;
        for value in defaults(&signature.output) {
            self.sites.push(Site {
                range: behind..behind,
                line: brace.start().line,
                what: format!("{} returns {value}", signature.ident),
                change: Change::Returned(value),
            });
        }
        self.visit_block(block);
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !for_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if !for_tests(&item.attrs) {
            self.function(&item.sig, &item.block);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !for_tests(&item.attrs) {
            self.function(&item.sig, &item.block);
        }
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.sig, block);
        }
    }

    // Nothing that the compiler evaluates, and no patterns.
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_item_enum(&mut self, _: &'ast syn::ItemEnum) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
    fn visit_path_arguments(&mut self, _: &'ast syn::PathArguments) {}
    fn visit_expr_repeat(&mut self, node: &'ast syn::ExprRepeat) {
        self.visit_expr(&node.expr);
    }

    fn visit_stmt(&mut self, stmt: &'ast syn::Stmt) {
        if let syn::Stmt::Expr(expr, Some(_)) = stmt {
            let may_go = match expr {
                syn::Expr::Assign(_) | syn::Expr::MethodCall(_) | syn::Expr::Call(_) | syn::Expr::Try(_) => true,
                syn::Expr::Binary(b) => swapped(&b.op).is_some(),
                _ => false,
            };
            if may_go {
                let what = format!("deleted: {}", short(&self.source(stmt)));
                self.add(stmt, what, Change::Deleted);
            }
        }
        visit::visit_stmt(self, stmt);
    }

    fn visit_expr_if(&mut self, node: &'ast syn::ExprIf) {
        if !has_let(&node.cond) {
            let what = format!("not: {}", short(&self.source(&node.cond)));
            self.add(&*node.cond, what, Change::Negated);
        }
        visit::visit_expr_if(self, node);
    }

    fn visit_expr_binary(&mut self, node: &'ast syn::ExprBinary) {
        if let Some((from, to)) = swapped(&node.op) {
            if !has_let(&node.left) && !has_let(&node.right) {
                let text = format!("{} {to} {}", self.source(&*node.left), self.source(&*node.right));
                let what = format!("{from} becomes {to}: {}", short(&self.source(node)));
                self.add(node, what, Change::Instead(text));
            }
        }
        visit::visit_expr_binary(self, node);
    }

    fn visit_expr_unary(&mut self, node: &'ast syn::ExprUnary) {
        if matches!(node.op, syn::UnOp::Neg(_)) {
            let what = format!("sign of {}", short(&self.source(node)));
            let text = self.source(&*node.expr);
            self.add(node, what, Change::Instead(text));
        }
        visit::visit_expr_unary(self, node);
    }

    fn visit_expr_lit(&mut self, node: &'ast syn::ExprLit) {
        if let syn::Lit::Float(value) = &node.lit {
            let zero = value.base10_parse::<f64>().is_ok_and(|x| x == 0.0);
            let text = if zero { "1.0".to_string() } else { format!("10.0 * {value}") };
            self.add(node, format!("{value} becomes {text}"), Change::Instead(text));
        }
    }

    fn visit_expr_path(&mut self, node: &'ast syn::ExprPath) {
        if node.path.get_ident().is_some_and(|name| self.constants.contains(&name.to_string())) {
            let name = self.source(node);
            let text = format!("10.0 * {name}");
            self.add(node, format!("{name} becomes {text}"), Change::Instead(text));
        }
    }
}

fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(70) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
