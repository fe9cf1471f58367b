/** What the envelope says of every event of a connection; empty values are left out of it. */
export interface CollectorMetadata {
  readonly host: string;
  readonly source: string;
  readonly sourcetype: string;
  readonly index: string;
}

export interface AckSettings {
  readonly timeoutMs: number;
  readonly maxResends: number;
}

export interface CollectorSettings {
  readonly metadata: CollectorMetadata;
  readonly channelHeader: string;
  /** A UUID: acknowledgements are numbered for each channel, so no two pods may share one. */
  readonly channel: string;
  readonly ack?: AckSettings | undefined;
}
