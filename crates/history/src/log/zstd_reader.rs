//! Reading zstd, by a decoder in Rust.

use std::fmt;
use std::io::{self, BufReader, Read};

use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

const FRAME: u32 = 0xFD2F_B528;
const ONE: BlockDecodingStrategy = BlockDecodingStrategy::UptoBlocks(1);
/// A last block without content, and a checksum, which is read where the frame has one.
const END_OF_FRAME: &[u8] = &[1, 0, 0, 0, 0, 0, 0];

/// The text of zstd frames that follow each other, as `zstd -dc` prints it: frames that decoders
/// skip are skipped, checksums are verified, and what stands before a fault is given before the error.
/// A window may have up to 128 MiB, as there.
///
/// # Errors
/// [`UnexpectedEof`](io::ErrorKind::UnexpectedEof) where the source ends within a frame,
/// [`InvalidData`](io::ErrorKind::InvalidData) for what is no frame, and the source's own.
pub struct ZstdReader<R> {
    source: Source<BufReader<R>>,
    decoder: FrameDecoder,
    place: Place,
    single_frame: bool,
    /// What to report once the text before it was given.
    fault: Option<io::Error>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Between,
    Within,
    /// At the end, or behind an error.
    Done,
}

impl<R: Read> ZstdReader<R> {
    /// Reads from the source's begin.
    pub fn new(source: R) -> Self {
        let source = Source { inner: BufReader::new(source), taken: 0, ended: false, fault: None };
        Self { source, decoder: FrameDecoder::new(), place: Place::Between, single_frame: false, fault: None }
    }

    /// Ends with the first frame, also if it is one that is skipped.
    #[cfg(feature = "jsonl")]
    pub(super) fn single_frame(mut self) -> Self {
        self.single_frame = true;
        self
    }

    /// How many bytes of the source were decoded.
    #[cfg(feature = "jsonl")]
    pub(super) const fn taken(&self) -> u64 {
        self.source.taken
    }

    /// Begins the next frame; false at the end.
    fn begin(&mut self) -> io::Result<bool> {
        let mut magic = [0; 4];
        if self.source.read(&mut magic[..1])? == 0 {
            return Ok(false);
        }
        self.source.read_exact(&mut magic[1..])?;
        let number = u32::from_le_bytes(magic);
        if number & 0xFFFF_FFF0 == 0x184D_2A50 {
            let mut len = [0; 4];
            self.source.read_exact(&mut len)?;
            let len = u64::from(u32::from_le_bytes(len));
            if io::copy(&mut self.source.by_ref().take(len), &mut io::sink())? < len {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            return Ok(true);
        }
        if number != FRAME {
            return Err(invalid("no zstd frame begins here"));
        }
        self.decoder.reset(magic.chain(&mut self.source)).map_err(invalid)?;
        self.place = Place::Within;
        Ok(true)
    }

    fn step(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.place {
                Place::Done => return Ok(0),
                Place::Between => {
                    if !self.begin()? || self.single_frame && self.place == Place::Between {
                        self.place = Place::Done;
                    }
                }
                Place::Within => {
                    while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                        if let Err(error) = self.decoder.decode_blocks(&mut self.source, ONE) {
                            // It holds a window back until the frame ends.
                            self.decoder.decode_blocks(END_OF_FRAME, ONE).map_err(invalid)?;
                            self.fault = Some(invalid(error));
                        }
                    }
                    let read = self.decoder.read(buffer)?;
                    if read > 0 {
                        return Ok(read);
                    }
                    if let Some(fault) = self.fault.take() {
                        return Err(fault);
                    }
                    let stored = self.decoder.get_checksum_from_data();
                    if stored.is_some() && stored != self.decoder.get_calculated_checksum() {
                        return Err(invalid("the text is not as the frame's checksum says"));
                    }
                    self.place = if self.single_frame { Place::Done } else { Place::Between };
                }
            }
        }
    }
}

impl<R: Read> Read for ZstdReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        self.step(buffer).map_err(|error| {
            self.place = Place::Done;
            // The decoder wraps what the source says.
            match self.source.fault.take() {
                Some(fault) => fault,
                None if self.source.ended => {
                    io::Error::new(io::ErrorKind::UnexpectedEof, "the frame is cut short")
                }
                None => error,
            }
        })
    }
}

impl<R> fmt::Debug for ZstdReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { source, place, .. } = self;
        f.debug_struct("ZstdReader")
            .field("taken", &source.taken)
            .field("place", place)
            .finish_non_exhaustive()
    }
}

fn invalid(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

/// What the decoder reads from.
struct Source<R> {
    inner: R,
    taken: u64,
    /// It was asked for more than there is.
    ended: bool,
    fault: Option<io::Error>,
}

impl<R: Read> Read for Source<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.inner.read(buffer) {
            Ok(read) => {
                self.taken += read as u64;
                self.ended |= read == 0 && !buffer.is_empty();
                Ok(read)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => {
                let told = io::Error::new(error.kind(), "the source failed");
                self.fault.get_or_insert(error);
                Err(told)
            }
        }
    }
}
