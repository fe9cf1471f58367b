/** Bounds on what one connection may cost. Breaking one closes that connection and nothing else. */
export interface WebSocketLimits {
  /** Payload of one frame; more closes with 1009. */
  readonly maxFrameBytes: number;
  /** One message, all its frames together and decompressed; more closes with 1009. */
  readonly maxMessageBytes: number;
  /** Frames of one message; more closes with 1008. */
  readonly maxFragments: number;
  /** Everything the client sends; more closes with 1008. */
  readonly maxReceivedBytes: number;
  /** Pings and pongs within a second; more closes with 1008. */
  readonly maxControlFramesPerSecond: number;
  /** Without a byte from the client; then the connection closes with 1001. Zero switches it off. */
  readonly idleMs: number;
  /** From our Close to the end of the connection; then it is cut off. */
  readonly closeMs: number;
}

const MiB = 1024 * 1024;

export const defaultWebSocketLimits: WebSocketLimits = {
  maxFrameBytes: 16 * MiB,
  maxMessageBytes: 16 * MiB,
  maxFragments: 4096,
  maxReceivedBytes: 1024 * MiB,
  maxControlFramesPerSecond: 256,
  idleMs: 300_000,
  closeMs: 5_000,
};
