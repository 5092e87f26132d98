//! The binary: parses its arguments, serves until it gets a signal, and prints errors as one sentence.

use std::env;
use std::io::{self, Write};
use std::process::ExitCode;

use changeover_www::{Command, Options, Server, USAGE, parse};

#[tokio::main]
async fn main() -> ExitCode {
    let command = parse(env::args_os().skip(1), env::var("ADDR").ok());
    let result = match command {
        Ok(Command::Serve(options)) => serve(&options).await,
        Ok(Command::Help) => write_stdout(USAGE),
        Ok(Command::Version) => write_stdout(concat!("changeover-www ", env!("CARGO_PKG_VERSION"), "\n")),
        Err(message) => Err(message),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("changeover-www: {message}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(options: &Options) -> Result<(), String> {
    let server = Server::bind(options).await?;
    let shutdown = shutdown_signal()?;
    write_stdout(&server.greeting(options.site.is_some()))?;
    server.run(shutdown).await
}

/// Completes on Ctrl-C or SIGTERM.
#[cfg(unix)]
fn shutdown_signal() -> Result<impl Future<Output = ()> + Send + 'static, String> {
    use tokio::signal::unix::{SignalKind, signal};
    let listen = |kind| signal(kind).map_err(|error| format!("can't listen for signals: {error}"));
    let (mut interrupt, mut terminate) = (listen(SignalKind::interrupt())?, listen(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn shutdown_signal() -> Result<impl Future<Output = ()> + Send + 'static, String> {
    Ok(async { drop(tokio::signal::ctrl_c().await) })
}

/// Writes to standard output. A closed pipe is not an error: the server goes on.
fn write_stdout(text: &str) -> Result<(), String> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(format!("can't print: {error}")),
        _ => Ok(()),
    }
}
