/** Bounds on everything a peer may send before anybody above the engine has agreed to it. */
export interface Http1Limits {
  readonly maxMethodBytes: number;
  readonly maxTargetBytes: number;
  /** Request line and header fields together, with the empty line. */
  readonly maxHeadBytes: number;
  readonly maxHeaderCount: number;
  readonly maxTrailerBytes: number;
  /** Over all chunks of one body. */
  readonly maxChunkExtensionBytes: number;
  /** Empty lines skipped before a request line (RFC 9112 §2.2 asks for at least one). */
  readonly maxLeadingEmptyLines: number;
  /** Requests that came early wait here; beyond it the socket is not read. */
  readonly maxPipelinedBytes: number;
  /** Request content nobody has read yet waits here; beyond it the socket is not read. */
  readonly maxUnreadBodyBytes: number;
  /** What is read and forgotten of a body its handler did not want, so that the connection can stay open. */
  readonly maxDrainBytes: number;
}

/** Zero switches a timeout off. */
export interface Http1Timeouts {
  /** From the first byte of a head to its last. */
  readonly headMs: number;
  /** Without a byte of an unfinished request body while the engine is reading. */
  readonly bodyMs: number;
  /** What an unfinished request body must reach on average, beyond the first `bodyMs`; zero switches it off. */
  readonly minBodyBytesPerSecond: number;
  /** Without a request. */
  readonly idleMs: number;
  /** Without the client taking any of an answer that waits for it. */
  readonly answerStallMs: number;
  /**
   * From our FIN to the client's; what it still sends is read and forgotten (RFC 9112 §9.6).
   * Zero closes at once.
   */
  readonly lingerMs: number;
  /**
   * From the client's FIN to the beginning of its answer. A client that closed one half still wants it; one that left
   * looks the same until something is sent, so after this time it counts as gone.
   */
  readonly halfCloseMs: number;
}

export const defaultLimits: Http1Limits = {
  maxMethodBytes: 128,
  maxTargetBytes: 16 * 1024,
  maxHeadBytes: 64 * 1024,
  maxHeaderCount: 256,
  maxTrailerBytes: 16 * 1024,
  maxChunkExtensionBytes: 16 * 1024,
  maxLeadingEmptyLines: 4,
  maxPipelinedBytes: 64 * 1024,
  maxUnreadBodyBytes: 128 * 1024,
  maxDrainBytes: 256 * 1024,
};

export const defaultTimeouts: Http1Timeouts = {
  headMs: 15_000,
  bodyMs: 60_000,
  minBodyBytesPerSecond: 240,
  idleMs: 75_000,
  answerStallMs: 60_000,
  halfCloseMs: 5_000,
  lingerMs: 2_000,
};
