//! The limit: a poem handler with nothing behind it, which answers the same bytes as an operation of the server. It is
//! a process of its own, this program started anew, as the server is one.

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
use poem::{EndpointExt, Response, Server, endpoint::make_sync, http::StatusCode, listener::TcpAcceptor};

use crate::generator::FetchedResponse;

/// What to answer: hidden arguments, for this program alone.
#[derive(Args, Debug)]
pub struct BaselineArguments {
    #[arg(long, hide = true, value_name = "FILE")]
    bare_body: Option<PathBuf>,
    #[arg(long, hide = true, default_value = "")]
    bare_type: String,
    #[arg(long, hide = true, default_value_t = 200)]
    bare_status: u16,
}

impl BaselineArguments {
    /// Serves for ever, if that is what this process is for.
    pub fn serve(&self) -> Result<bool> {
        let Some(file) = &self.bare_body else {
            return Ok(false);
        };
        let body = Bytes::from(fs::read(file)?);
        let status = StatusCode::from_u16(self.bare_status)?;
        let content_type = self.bare_type.clone();
        let handler = make_sync(move |_| {
            let response = Response::builder().status(status);
            if content_type.is_empty() {
                response.finish()
            } else {
                response.content_type(&content_type).body(body.clone())
            }
        });
        // As in the server's own main function.
        tokio::runtime::Runtime::new()?.block_on(async {
            let listener = almanac::server::bind(SocketAddr::from(([127, 0, 0, 1], 0)))?;
            println!("{}", listener.local_addr()?);
            let acceptor = TcpAcceptor::from_tokio(listener)?;
            Server::new_with_acceptor(acceptor)
                .run(handler.map_to_response())
                .await?;
            Ok(true)
        })
    }
}

/// A running limit. It ends when it is dropped.
pub struct Baseline {
    pub address: SocketAddr,
    child: Child,
}

impl Baseline {
    /// Starts one that answers so. The body goes through a file in the folder.
    pub fn start(response: &FetchedResponse, folder: &Path) -> Result<Self> {
        let file = folder.join("bare-body");
        fs::write(&file, &response.body)?;
        let mut child = Command::new(std::env::current_exe()?)
            .arg("--bare-body")
            .arg(&file)
            .args(["--bare-type", &response.content_type])
            .args(["--bare-status", &response.status.to_string()])
            .stdout(Stdio::piped())
            .spawn()?;
        let output = child.stdout.take().context("the output is a pipe")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        let address = line.trim().parse().context("the limit says where it listens")?;
        Ok(Self { address, child })
    }
}

impl Drop for Baseline {
    fn drop(&mut self) {
        // It may have ended by itself, and nobody could do anything about it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
