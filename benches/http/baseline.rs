//! The baseline: a bare poem handler that returns the same response as an operation of the server. It runs as a
//! separate process, like the server; the process is this program with hidden arguments.

use std::{
    fs,
    io::{BufRead, BufReader},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use anyhow::{Context, Result};
use clap::Args;
use hyper::body::Bytes;
use poem::{EndpointExt, Request, Response, Server, endpoint::make, http::StatusCode, listener::TcpAcceptor};

use crate::generator::FetchedResponse;

/// The response of the baseline. Hidden: only this program passes them.
#[derive(Args, Debug)]
pub(crate) struct BaselineArguments {
    #[arg(long, hide = true, value_name = "FILE")]
    bare_body: Option<PathBuf>,
    #[arg(long, hide = true, default_value = "")]
    bare_type: String,
    #[arg(long, hide = true, default_value_t = 200)]
    bare_status: u16,
}

impl BaselineArguments {
    /// Serves the baseline if this is a baseline process. Returns `false` otherwise.
    pub(crate) fn serve(&self) -> Result<bool> {
        let Some(file) = &self.bare_body else {
            return Ok(false);
        };
        let body = Bytes::from(fs::read(file)?);
        let status = StatusCode::from_u16(self.bare_status)?;
        let content_type = self.bare_type.clone();
        let handler = make(move |request: Request| {
            let response = Response::builder().status(status);
            let response = if content_type.is_empty() {
                response.finish()
            } else {
                response.content_type(&content_type).body(body.clone())
            };
            async move {
                // hyper closes the connection after a large request whose body was not read.
                request.into_body().into_bytes().await?;
                poem::Result::<Response>::Ok(response)
            }
        });
        // The same runtime as that of the server.
        tokio::runtime::Runtime::new()?.block_on(async {
            let listener = almanac::testing::server::bind(SocketAddr::from(([127, 0, 0, 1], 0)))?;
            println!("{}", listener.local_addr()?);
            let acceptor = TcpAcceptor::from_tokio(listener)?;
            Server::new_with_acceptor(acceptor)
                .run(handler.map_to_response())
                .await?;
            Ok(true)
        })
    }
}

/// A running baseline process, which is killed on drop.
pub(crate) struct Baseline {
    pub address: SocketAddr,
    child: Child,
}

impl Baseline {
    /// Starts a baseline that returns the response. Passes the body in a file in `folder`.
    pub(crate) fn start(response: &FetchedResponse, folder: &Path) -> Result<Self> {
        let file = folder.join("bare-body");
        fs::write(&file, &response.body)?;
        let mut child = Command::new(std::env::current_exe()?)
            .arg("--bare-body")
            .arg(&file)
            .args(["--bare-type", &response.content_type])
            .args(["--bare-status", &response.status.to_string()])
            .stdout(Stdio::piped())
            .spawn()?;
        let output = child.stdout.take().context("no pipe for the output")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        let address = line.trim().parse().context("the baseline did not print its address")?;
        Ok(Self { address, child })
    }
}

impl Drop for Baseline {
    fn drop(&mut self) {
        // Errors are ignored: the process may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
