/** One realistic problem (RFC 9457): what it says and the header field that must come with its status. */
export interface ProblemSample {
  readonly type: string;
  readonly title: string;
  readonly detail: string;
  /** Name, value, name, value, …. */
  readonly headers?: readonly string[];
  /** What was wrong with which part of the request. */
  readonly errors?: ReadonlyArray<{ readonly pointer: string; readonly detail: string }>;
}

export const problemSamples: Readonly<Record<number, ProblemSample>> = {
  400: {
    type: '/problems/malformed-request',
    title: 'Bad Request',
    detail: 'The request body is not valid JSON.',
    errors: [{ pointer: '#/', detail: 'ends in the middle of a string' }],
  },
  401: {
    type: '/problems/credentials-missing',
    title: 'Unauthorized',
    detail: 'The request has no credentials.',
    headers: ['WWW-Authenticate', 'Bearer realm="testbed", error="invalid_token"'],
  },
  403: { type: '/problems/not-permitted', title: 'Forbidden', detail: 'The account may not see this order.' },
  404: { type: '/problems/order-unknown', title: 'Not Found', detail: 'There is no order 4711.' },
  405: {
    type: '/problems/method-not-allowed',
    title: 'Method Not Allowed',
    detail: 'Orders cannot be deleted.',
    headers: ['Allow', 'GET, HEAD, PUT, OPTIONS'],
  },
  409: { type: '/problems/order-exists', title: 'Conflict', detail: 'There already is an order 4711.' },
  410: { type: '/problems/order-removed', title: 'Gone', detail: 'Order 4711 was removed for good.' },
  412: {
    type: '/problems/version-conflict',
    title: 'Precondition Failed',
    detail: 'The order has changed since it was read.',
    headers: ['ETag', '"order-4711-v8"'],
  },
  413: {
    type: '/problems/content-too-large',
    title: 'Content Too Large',
    detail: 'An order may have 65536 bytes; come back when there is room for more.',
    headers: ['Retry-After', '120'],
  },
  415: {
    type: '/problems/media-type-unsupported',
    title: 'Unsupported Media Type',
    detail: 'Orders are JSON.',
    headers: ['Accept', 'application/json', 'Accept-Patch', 'application/merge-patch+json'],
  },
  422: {
    type: '/problems/validation-failed',
    title: 'Unprocessable Content',
    detail: 'Two members of the order are not valid.',
    errors: [
      { pointer: '#/items/0/quantity', detail: 'must be a positive integer' },
      { pointer: '#/customer/email', detail: 'must be an e-mail address' },
    ],
  },
  428: {
    type: '/problems/precondition-required',
    title: 'Precondition Required',
    detail: 'Send If-Match, so that nobody’s change is lost.',
  },
  429: {
    type: '/problems/rate-limit-exceeded',
    title: 'Too Many Requests',
    detail: 'Ten requests a minute are allowed.',
    headers: [
      'Retry-After',
      '30',
      'RateLimit-Policy',
      '"default";q=10;w=60',
      'RateLimit',
      '"default";r=0;t=30',
    ],
  },
  431: {
    type: '/problems/headers-too-large',
    title: 'Request Header Fields Too Large',
    detail: 'The Cookie field alone has more than 8192 bytes.',
  },
  500: {
    type: '/problems/internal-error',
    title: 'Internal Server Error',
    detail: 'Something unexpected happened; the trace id finds it in the log.',
  },
  502: {
    type: '/problems/upstream-invalid',
    title: 'Bad Gateway',
    detail: 'The payment service gave an answer that cannot be understood.',
  },
  503: {
    type: '/problems/maintenance',
    title: 'Service Unavailable',
    detail: 'Maintenance until the hour.',
    headers: ['Retry-After', '600'],
  },
  504: {
    type: '/problems/upstream-timeout',
    title: 'Gateway Timeout',
    detail: 'The payment service did not answer within 5 seconds.',
  },
};
