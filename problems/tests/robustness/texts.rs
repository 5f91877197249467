//! What the texts say of each other: a code that is named exists and answers, an option that is advised can be set so.

use geoms::error::{Code, CODES};
use geoms::options::{Options, Slot, OPTIONS};

/// Numbers of codes in a text.
fn codes(text: &str) -> Vec<i32> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices('-') {
        let digits: String = text[at + 1..].chars().take_while(char::is_ascii_digit).collect();
        let alone = !text[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-')
            && !text[at + 1 + digits.len()..].starts_with(['.', 'e', 'E']);
        if digits.len() == 4 && alone {
            found.push(-digits.parse::<i32>().unwrap());
        }
    }
    found
}

/// Slots of options in a text, with the value that they are given.
fn settings(text: &str) -> Vec<(Slot, Option<i64>)> {
    let mut found = Vec::new();
    for (name, make) in [("IOPT(", Slot::Iopt as fn(usize) -> Slot), ("ROPT(", Slot::Ropt)] {
        for (at, _) in text.match_indices(name) {
            let rest = &text[at + name.len()..];
            let (inside, behind) = rest.split_once(')').unwrap();
            let Ok(k) = inside.parse() else { continue };
            let number =
                |t: &str| t.chars().take_while(|c| c.is_ascii_digit() || *c == '-').collect::<String>();
            let value = behind.strip_prefix('=').and_then(|v| number(v).parse().ok());
            found.push((make(k), value));
        }
    }
    found
}

#[test]
fn codes_that_are_named_exist_and_answer() {
    let mut named = 0;
    for option in OPTIONS {
        for idid in codes(option.meaning) {
            let code = Code::from_idid(idid).unwrap_or_else(|| panic!("{}: {idid}", option.name));
            let answer = format!("{} {}", code.sentence(), code.advice());
            let slots = settings(&answer);
            assert!(
                slots.iter().any(|(slot, _)| *slot == option.slot),
                "{}: {idid} says {answer}",
                option.name
            );
            named += 1;
        }
    }
    assert!(named > 0);
    for code in CODES {
        for idid in codes(&format!("{} {}", code.sentence(), code.advice())) {
            assert!(Code::from_idid(idid).is_some(), "{code:?} names {idid}");
        }
    }
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for page in [
        "README.md",
        "docs/reference.md",
        "docs/my-run-failed.md",
        "docs/porting.md",
        "docs/theory.md",
        "docs/gluing.md",
    ] {
        let text = std::fs::read_to_string(root.join(page)).unwrap();
        for idid in codes(&text) {
            assert!(Code::from_idid(idid).is_some(), "{page} names {idid}");
            named += 1;
        }
    }
    println!("count: {named} codes named in options and pages");
}

#[test]
fn advice_can_be_followed() {
    let mut advised = 0;
    for code in CODES {
        for (slot, value) in settings(&format!("{} {}", code.sentence(), code.advice())) {
            // IOPT(16) opens the others and has an entry of its own.
            let entry = OPTIONS.iter().find(|o| o.slot == slot);
            let entry = entry.unwrap_or_else(|| panic!("{code:?}: {slot} is no option"));
            if let Some(value) = value {
                let set = Options::of_call().set_int(entry.name, value);
                assert!(set.is_ok(), "{code:?}: {} = {value}: {set:?}", entry.name);
                advised += 1;
            }
        }
    }
    assert!(advised > 10, "{advised}");
}

#[test]
fn codes_are_found_in_texts() {
    assert_eq!(codes("ends with -1120, not 1e-1000 or x-1234 (-2104)."), [-1120, -2104]);
    assert_eq!(settings("set IOPT(17)=1 or ROPT(3)"), [(Slot::Iopt(17), Some(1)), (Slot::Ropt(3), None)]);
}
