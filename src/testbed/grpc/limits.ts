const MiB = 1024 * 1024;

/** Bounds of one call, all documented in the guide. */
export const grpcLimits = {
  /** A message of a client, before and after its compression is undone; the usual bound of gRPC servers. */
  maxMessageBytes: 4 * MiB,
  /** The reply of Large. */
  maxReplyBytes: 64 * MiB,
  maxStreamCount: 10_000,
  /** What a client may still send after its call ended; then its stream is reset. */
  maxUnreadBytes: MiB,
  /** How often Watch looks for a change. */
  healthPollMs: 200,
} as const;
