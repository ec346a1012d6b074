//! Parsing of the command line and the environment.

use std::env;

use clap::{
    Arg, ArgAction, ArgMatches, Command, CommandFactory, FromArgMatches, builder::Resettable, parser::ValueSource,
};

use super::Cli;
use crate::commands;

/// Parses the arguments and the environment of this process. Exits with code 2 and a message if either is invalid.
pub fn parse() -> Cli {
    let mut command = without_empty_variables(Cli::command());
    let matches = command.clone().get_matches();
    let mut cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.format(&mut command).exit());
    if let commands::Command::Serve(arguments) = &mut cli.command
        && let Some((name, matches)) = matches.subcommand()
        && let Some(command) = command.find_subcommand(name)
    {
        arguments.set_flags = set_flags(command, matches);
    }
    cli
}

/// Treats an empty variable as absent: Compose files and unit files set variables to an empty value to disable them.
fn without_empty_variables(command: Command) -> Command {
    command
        .mut_args(|arg| match is_empty(&arg) {
            true => arg.env(Resettable::Reset),
            false => arg,
        })
        .mut_subcommands(without_empty_variables)
}

fn is_empty(arg: &Arg) -> bool {
    arg.get_env()
        .and_then(env::var_os)
        .is_some_and(|value| value.is_empty())
}

/// The flags that were set on the command line or in the environment, except those that contain secrets.
fn set_flags(command: &Command, matches: &ArgMatches) -> String {
    let flags: Vec<String> = command
        .get_arguments()
        .filter(|arg| !arg.is_hide_env_values_set())
        .filter_map(|arg| flag(arg, matches))
        .collect();
    flags.join(" ")
}

/// One flag as written on the command line.
fn flag(arg: &Arg, matches: &ArgMatches) -> Option<String> {
    let id = arg.get_id().as_str();
    let long = arg.get_long()?;
    let source = matches.value_source(id)?;
    if source == ValueSource::DefaultValue {
        return None;
    }
    if matches!(arg.get_action(), ArgAction::SetTrue) {
        return matches.get_flag(id).then(|| format!("--{long}"));
    }
    let values: Vec<_> = matches.get_raw(id)?.map(|value| value.to_string_lossy()).collect();
    Some(format!("--{long}={}", values.join(",")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set_flags_of(arguments: &[&str]) -> String {
        let command = Cli::command();
        let matches = command.clone().get_matches_from(arguments);
        let (name, matches) = matches.subcommand().expect("a subcommand");
        let command = command.find_subcommand(name).expect("it is known");
        set_flags(command, matches)
    }

    #[test]
    fn set_flags_lists_no_defaults() {
        for (arguments, expected) in [
            (&["almanac", "serve"][..], ""),
            (&["almanac", "serve", "--demo"], "--demo"),
            (
                &["almanac", "serve", "--timezone", "Europe/Berlin"],
                "--timezone=Europe/Berlin",
            ),
            (
                &["almanac", "serve", "--trusted-proxy=10.0.0.0/8,::1"],
                "--trusted-proxy=10.0.0.0/8,::1",
            ),
            // Set to the default.
            (&["almanac", "serve", "--cache-size=32"], "--cache-size=32"),
        ] {
            assert_eq!(set_flags_of(arguments), expected);
        }
    }

    #[test]
    fn set_flags_omits_the_database() {
        let url = "--database-url=postgres://ann:secret@db/almanac";
        assert_eq!(set_flags_of(&["almanac", "serve", url, "--demo"]), "--demo");
    }

    #[test]
    fn serve_flags_have_variables() {
        let command = Cli::command();
        let serve = command.find_subcommand("serve").expect("it is known");
        for arg in serve.get_arguments() {
            let long = arg.get_long().expect("serve takes flags only");
            let variable = format!("ALMANAC_{}", long.replace('-', "_").to_uppercase());
            assert_eq!(arg.get_env(), Some(variable.as_ref()), "--{long}");
        }
    }
}
