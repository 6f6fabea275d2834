//! Whole episodes, the same rewards everywhere, hostile clients, real files, and the rules of the house.

mod clients;
mod command_line;
mod hostile;
mod real_files;
mod same_bytes;
mod tidy;
