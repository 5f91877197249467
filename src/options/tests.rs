//! Options by name and by slot.

use super::*;

#[test]
fn zero_arrays_give_the_defaults() {
    let options = Options::from_arrays(&[0; 40], &[0.0; 40]);
    assert_eq!(options, Ok(Options::of_call()));
}

#[test]
fn old_drivers_may_leave_anything_behind_slot_17() {
    let mut iopt = [0; 40];
    iopt[17..].fill(-7);
    assert!(Options::from_arrays(&iopt, &[0.0; 40]).is_ok());
    iopt[15] = 1;
    assert!(Options::from_arrays(&iopt, &[0.0; 40]).is_err());
}

#[test]
fn every_entry_refuses_a_value_and_names_itself() {
    for entry in OPTIONS {
        let (mut iopt, mut ropt) = ([0; 40], [0.0; 40]);
        match entry.slot {
            Iopt(k) => {
                iopt[15] = 1;
                iopt[k - 1] = -7;
            }
            Ropt(k) => ropt[k - 1] = if entry.name == "THET" { 1.5 } else { -1.0 },
        }
        let bad = Options::from_arrays(&iopt, &ropt).expect_err(entry.name);
        assert!(bad.name.contains(entry.name), "{bad}");
        if let Ropt(k) = entry.slot {
            ropt[k - 1] = f64::NAN;
            let bad = Options::from_arrays(&iopt, &ropt).expect_err(entry.name);
            assert!(bad.to_string().contains("NaN"), "{bad}");
        }
    }
}

#[test]
fn reference_point_needs_extrapolation() {
    let mut iopt = [0; 40];
    (iopt[8], iopt[3]) = (2, 1);
    let bad = Options::from_arrays(&iopt, &[0.0; 40]).expect_err("contradiction");
    assert!(bad.name.contains("NWTMAT"));
}

/// The table says what a handle begins with where that is not the call's default.
#[test]
fn defaults_of_the_handle_are_those_of_the_table() {
    let mut options = Options::of_call();
    for entry in OPTIONS {
        let Some(value) = entry.handle else { continue };
        let first: i64 = value.split(',').next().and_then(|v| v.parse().ok()).expect(value);
        options.set_int(entry.name, first).expect(entry.name);
    }
    let begun = Options { recover: true, ..Options::default() };
    assert_eq!(options.newton_reference(), begun.newton_reference());
    assert_eq!(options, Options { newton_reference: options.newton_reference, ..begun });
    let zero = Options { zero_start: true, ..Options::default() };
    assert!(zero.validate().is_ok() && zero.newton_reference() == 0);
}

/// 0 on a handle is what 0 is in the call, whatever was set before; that is the default of the handle too, but where the table has another.
#[test]
fn zero_brings_every_default_back() {
    let fresh = Options { recover: true, ..Options::default() };
    for entry in OPTIONS {
        let set = |options: &mut Options, value: f64| match entry.is_integer() {
            true => entry.set_int(options, value as i64).is_ok(),
            false => entry.set_real(options, value).is_ok(),
        };
        let mut expected = fresh.clone();
        assert!(set(&mut expected, 0.0) && (entry.handle.is_some() || expected == fresh), "{}", entry.name);
        let mut tried = 0;
        for value in [7.0f64, 3.0, 2.0, 1.0, 0.7, 0.5, 0.3, 1e-3, 1e-12, -0.1, -1.0] {
            let mut options = fresh.clone();
            if entry.is_integer() && value.fract() != 0.0 || !set(&mut options, value) || options == expected
            {
                continue;
            }
            assert!(set(&mut options, 0.0));
            assert_eq!(options, expected, "{} = {value}, then 0", entry.name);
            tried += 1;
        }
        assert!(tried > 0, "{}", entry.name);
    }
    // What the documents say of geoms_create: seven zeros are the call.
    let mut zeros = fresh;
    for entry in OPTIONS.iter().filter(|entry| entry.handle.is_some() && entry.name != "RECOVER") {
        zeros.set_int(entry.name, 0).expect(entry.name);
    }
    assert_eq!(zeros, Options { recover: true, ..Options::of_call() });
}

#[test]
fn names_and_slots_are_unique() {
    for (i, a) in OPTIONS.iter().enumerate() {
        for b in &OPTIONS[..i] {
            assert!(a.name != b.name && a.slot != b.slot);
        }
    }
}

#[test]
fn texts_for_the_handle_name_nothing_of_the_call() {
    for code in crate::error::CODES {
        for text in [code.sentence(), code.advice()] {
            let text = in_names(text);
            assert!(
                ["IVCOND", "Nthe", "of the conditions", "IOPT(", "ROPT("]
                    .iter()
                    .all(|word| !text.contains(word)),
                "{text}"
            );
        }
    }
}
