//! The command that blesses, for messages that can be acted on.

use std::path::Path;

/// For a shell; the reason is left to whoever blesses.
#[must_use]
pub fn bless_command(folder: &Path, name: &str) -> String {
    format!("maquette golden bless {name} --dir {} --reason \"…\"", quoted(&folder.display().to_string()))
}

fn quoted(text: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+:@".contains(letter);
    if !text.is_empty() && text.chars().all(plain) {
        return text.into();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_the_folder_as_one_word() {
        let words = ["assets/goldens", "my goldens", "it's", ""].map(quoted);
        assert_eq!(words, ["assets/goldens", "'my goldens'", r"'it'\''s'", "''"]);
    }
}
