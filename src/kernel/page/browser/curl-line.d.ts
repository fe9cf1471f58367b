/** A request as the documentation page shows and sends it. */
export interface ShownRequest {
  readonly method: string;
  /** As it goes into the request line; one character is one byte. */
  readonly target: string;
  /** Name, value, name, value, …. */
  readonly headers?: readonly string[];
  /** Text, sent as UTF-8. */
  readonly body?: string;
  /** Bytes that are no text. */
  readonly bodyBase64?: string;
}

/** The line for a shell; `baseUrl` has no slash at its end. */
export declare function curlLine(request: ShownRequest, baseUrl: string): string;
