//! The Fortran module of the handle, made from the C header: a function that is in the one is in the other.

use std::fmt::Write;

/// Names that differ from a function only by their case, which is the same name in Fortran.
const RENAMED: [(&str, &str); 1] = [("GEOMS_EVENT", "geoms_at_event")];

const HEAD: &str = "\
! The handle of include/geoms.h for Fortran 2003 and later: constants, types, interfaces of callbacks and functions.
!
! Made from the header by `make docs`; do not edit.
!
!     use geoms
!     ...
!     type(c_ptr) :: handle
!     handle = geoms_create(geoms_dimensions(np=2, nv=2, nl=1), geoms_form_strangeness_free)
!     if (geoms_set_eom(handle, eom) /= 0) ...
!
! A program that calls the subroutine GEOMS as well says `use geoms_handle` instead, because there a module and an external
! procedure cannot have the same name.
!
! Callbacks are functions with bind(c) and the arguments of the abstract interfaces below; the compiler compares them. A
! function that takes a callback is made of the one with the ending _p, for type(c_funptr): c_null_funptr takes a callback
! away. `user` is the address given to geoms_set_user, c_loc of a variable with the attribute TARGET that lives as long as the
! handle. Strings: geoms_set_int(handle, geoms_c('nit'), ...) and geoms_text(error%detail).
!
! Indices are as in the header, from 0: events, root functions. Only geoms_iopt_* and geoms_ropt_* count from 1 here, because
! they are for the arrays of Fortran.
";

const TAIL: &str = "
  ! A string for a function of the library: terminated, without trailing blanks.
  pure function geoms_c(text) result(string)
    character(len=*), intent(in) :: text
    character(kind=c_char) :: string(len_trim(text) + 1)
    integer :: i
    do i = 1, len_trim(text)
      string(i) = text(i:i)
    end do
    string(len_trim(text) + 1) = c_null_char
  end function

  ! A string of the library; empty if the address is null.
  function geoms_text(string) result(text)
    type(c_ptr), intent(in) :: string
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: characters(:)
    integer :: i
    interface
      function c_strlen(s) bind(c, name='strlen')
        import :: c_ptr, c_size_t
        type(c_ptr), value :: s
        integer(c_size_t) :: c_strlen
      end function
    end interface
    if (.not. c_associated(string)) then
      text = ''
      return
    end if
    call c_f_pointer(string, characters, [c_strlen(string)])
    allocate (character(len=size(characters)) :: text)
    do i = 1, size(characters)
      text(i:i) = characters(i)
    end do
  end function

end module

! The same under the name of the library.
module geoms
  use geoms_handle
  implicit none
  public
end module
";

/// A declared name and its type in C.
struct Declared {
    name: String,
    kind: String,
}

/// `const double *x` becomes the type `const double *` and the name `x`.
fn declared(text: &str) -> Declared {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let at = text.rfind([' ', '*']).map_or(0, |k| k + 1);
    let kind = text[..at].replace("struct ", "");
    Declared { name: text[at..].to_string(), kind: kind.trim().to_string() }
}

/// `a, b, c` between parentheses.
fn arguments(text: &str) -> Vec<Declared> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty() && *part != "void").map(declared).collect()
}

/// Pointers to one number; the others are arrays.
fn is_scalar(name: &str) -> bool {
    matches!(name, "t" | "index" | "length" | "count")
}

/// Type of a number or an address, as a component or a result.
fn plain(kind: &str) -> String {
    match kind {
        "double" => "real(c_double)",
        "int" => "integer(c_int)",
        "int64_t" | "uint64_t" => "integer(c_int64_t)",
        "size_t" => "integer(c_size_t)",
        _ => "type(c_ptr)",
    }
    .to_string()
}

/// Declaration of a dummy argument.
fn dummy(Declared { name, kind }: &Declared, raw: bool) -> String {
    if let Some(function) = kind.strip_suffix("_fn") {
        let checked = format!("procedure({function}_fn) :: {name}");
        return if raw { format!("type(c_funptr), value :: {name}") } else { checked };
    }
    let Some(target) = kind.strip_suffix('*').map(str::trim) else {
        return format!("{}, value :: {name}", plain(kind));
    };
    // A null pointer is no array in Fortran.
    if name.ends_with("_or_null") {
        return format!("type(c_ptr), value :: {name}");
    }
    let (target, intent) = match target.strip_prefix("const ") {
        Some(rest) => (rest, "in"),
        None => (target, "inout"),
    };
    match target {
        "geoms_solver" | "geoms_glue" | "void" => format!("type(c_ptr), value :: {name}"),
        "char" => format!("character(kind=c_char), intent({intent}) :: {name}(*)"),
        "double *const" => format!("type(c_ptr), intent(in) :: {name}(6)"),
        other if other.starts_with("geoms_") => format!("type({other}), intent({intent}) :: {name}"),
        other if is_scalar(name) => format!("{}, intent({intent}) :: {name}", plain(other)),
        other => format!("{}, intent({intent}) :: {name}(*)", plain(other)),
    }
}

/// Interface body of a function or callback; with `raw` callbacks are addresses.
fn body(
    out: &mut String,
    comment: &str,
    result: &str,
    (name, bound): (&str, Option<&str>),
    list: &str,
    raw: bool,
) {
    let list = arguments(list);
    let names: Vec<&str> = list.iter().map(|a| a.name.as_str()).collect();
    let word = if result == "void" { "subroutine" } else { "function" };
    let binding = bound.map_or(String::from("bind(c)"), |bound| format!("bind(c, name='{bound}')"));
    if !comment.is_empty() {
        let _ = writeln!(out, "    ! {comment}");
    }
    let list_of_names = names.join(", ");
    // Long lines are not Fortran.
    let turn = if name.len() + list_of_names.len() + binding.len() > 110 { "&\n      " } else { "" };
    let _ = writeln!(out, "    {word} {name}({turn}{list_of_names}) {binding}");
    // Everything: what is not needed does no harm, and no list has to be kept.
    out.push_str("      import\n");
    for argument in &list {
        let _ = writeln!(out, "      {}", dummy(argument, raw));
    }
    if word == "function" {
        let _ = writeln!(out, "      {} :: {name}", plain(result));
    }
    let _ = writeln!(out, "    end {word}");
}

/// The function with a callback that the compiler checks, made of the one with an address: a name of C may be bound once.
fn checked(out: &mut String, comment: &str, result: &str, (name, raw): (&str, &str), list: &str) {
    let list = arguments(list);
    let names: Vec<&str> = list.iter().map(|a| a.name.as_str()).collect();
    let passed: Vec<String> = list
        .iter()
        .map(|a| if a.kind.ends_with("_fn") { format!("c_funloc({})", a.name) } else { a.name.clone() })
        .collect();
    let _ = writeln!(out, "\n  ! {}", comment.replace("\n    !", "\n  !"));
    let _ = writeln!(out, "  function {name}({}) result(answer)", names.join(", "));
    for argument in &list {
        let _ = writeln!(out, "    {}", dummy(argument, false));
    }
    let _ = writeln!(out, "    {} :: answer\n    answer = {raw}({})", plain(result), passed.join(", "));
    out.push_str("  end function\n");
}

/// First sentence of a comment of the header.
fn sentence(comment: &str) -> String {
    let lines = comment.lines().map(|line| line.trim().trim_start_matches('*').trim());
    let text: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    let text = text.join(" ");
    let end = text.find(". ").map_or(text.len(), |k| k + 1);
    let mut wrapped = String::new();
    let mut width = 0;
    for word in text[..end].split(' ') {
        let length = word.chars().count() + 1;
        // Long lines are not Fortran.
        if width + length > 112 {
            wrapped.push_str("\n    !");
            width = 0;
        }
        if !wrapped.is_empty() {
            wrapped.push(' ');
        }
        wrapped.push_str(word);
        width += length;
    }
    wrapped
}

/// The module, from the text of the header.
pub fn module(header: &str) -> String {
    let [mut constants, mut types, mut callbacks, mut functions, mut wrappers] = [const { String::new() }; 5];
    for line in header.lines() {
        let Some((name, value)) = line.strip_prefix("#define ").and_then(|rest| rest.split_once(' ')) else {
            continue;
        };
        let Ok(mut value) = value.trim_matches(['(', ')']).parse::<i32>() else { continue };
        if name.starts_with("GEOMS_IOPT_") || name.starts_with("GEOMS_ROPT_") {
            value += 1;
        }
        let renamed = RENAMED.iter().find(|r| r.0 == name).map(|r| r.1.to_string());
        let name = renamed.unwrap_or_else(|| name.to_lowercase());
        let _ = writeln!(constants, "  integer(c_int), parameter :: {name} = {value}");
    }
    // A documented declaration: comment, then text up to the semicolon at its end.
    for part in header.split("\n/**\n").skip(1) {
        let Some((comment, rest)) = part.split_once("\n */\n") else { continue };
        let comment = sentence(comment);
        if let Some(rest) = rest.strip_prefix("typedef struct geoms_") {
            structure(&mut types, &comment, rest);
        } else if let Some(rest) = rest.strip_prefix("typedef int (*") {
            let Some((name, list)) = rest.split_once(")(") else { continue };
            let list = list.split(");").next().unwrap_or_default();
            body(&mut callbacks, &comment, "int", (name, None), list, false);
        } else if let Some((head, list)) = rest.split_once('(') {
            let Declared { name, kind } = declared(head);
            if name.ends_with('_') || !name.starts_with("geoms_") || head.contains("#define") {
                continue;
            }
            let list = list.split(");").next().unwrap_or_default();
            if list.contains("_fn ") {
                let raw = format!("{name}_p");
                body(&mut functions, "", &kind, (&raw, Some(&name)), list, true);
                checked(&mut wrappers, &comment, &kind, (&name, &raw), list);
            } else {
                body(&mut functions, &comment, &kind, (&name, Some(&name)), list, false);
            }
        }
    }
    format!(
        "{HEAD}\nmodule geoms_handle\n  use, intrinsic :: iso_c_binding\n  implicit none\n  public\n\n{constants}{types}\n  \
         abstract interface\n{callbacks}  end interface\n\n  interface\n{functions}  end interface\n\n\
         contains\n{wrappers}{TAIL}"
    )
}

/// A structure: `name { comments and members } name;`. One without members is only ever an address.
fn structure(out: &mut String, comment: &str, rest: &str) {
    let Some((name, members)) = rest.split_once(" {\n") else { return };
    let members = members.split("\n}").next().unwrap_or_default();
    let _ = write!(out, "\n  ! {comment}\n  type, bind(c) :: geoms_{name}\n");
    for member in members.lines().map(str::trim).filter_map(|line| line.strip_suffix(';')) {
        let Declared { name, kind } = declared(member);
        let kind = plain(&kind);
        let initial = if kind == "type(c_ptr)" { "c_null_ptr" } else { "0" };
        let _ = writeln!(out, "    {kind} :: {name} = {initial}");
    }
    out.push_str("  end type\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header;

    #[test]
    fn every_function_callback_structure_and_constant_is_in_the_module() {
        let header = header();
        let module = module(&header);
        let has = |text: &str| assert!(module.contains(text), "{text}");
        let frozen = include_str!("../../abi/symbols.txt").lines().filter(|name| !name.ends_with('_'));
        for name in frozen {
            has(&format!("bind(c, name='{name}')"));
        }
        for line in header.lines() {
            if let Some((name, _)) = line.strip_prefix("typedef int (*").and_then(|rest| rest.split_once(')'))
            {
                has(&format!("function {name}("));
            }
            if let Some(name) = line.strip_prefix("typedef struct ").and_then(|rest| rest.strip_suffix(" {"))
            {
                has(&format!("type, bind(c) :: {name}\n"));
            }
        }
        has(":: geoms_idid_stopped_by_eom = -1102\n");
        has(":: geoms_iopt_nit = 3\n");
        has(":: geoms_at_event = 1\n");
        let defines = header.matches("#define GEOMS_").count();
        // The guard of the header and the version as a string have no place in a module.
        assert_eq!(module.matches("integer(c_int), parameter").count(), defines - 2);
        assert!(module.lines().all(|line| line.chars().count() <= 132), "too long for Fortran");
    }
}
