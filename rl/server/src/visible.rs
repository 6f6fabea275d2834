//! Texts that hold names from files and servers, as a terminal may show them.

/// Control characters are escaped, such as `\n` and `\u{1b}`: a name in a file must not steer the terminal.
pub(crate) fn visible(text: &str) -> String {
    let show = |letter: char| if letter.is_control() { letter.escape_debug().to_string() } else { letter.to_string() };
    text.chars().map(show).collect()
}

/// Each line for itself, so that no name adds one.
pub(crate) fn visible_lines(lines: &[String]) -> String {
    lines.iter().map(|line| visible(line)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_nothing_else_is() {
        assert_eq!(visible("leg\u{1b}[31m\r\n\u{9b}\u{7f}"), r"leg\u{1b}[31m\r\n\u{9b}\u{7f}");
        assert_eq!(visible("Stuhl \"ü\" \\ 椅子 🪑"), "Stuhl \"ü\" \\ 椅子 🪑");
        assert_eq!(visible_lines(&["a\nb".into(), "c".into()]), "a\\nb\nc");
    }
}
