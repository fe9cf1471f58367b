import type { Exchange } from '../../http1/exchange.ts';
import { corsFields } from './reply-channel.ts';

/** Allows a browser the call of grpc-web it asks for, whatever the metadata. */
export function preflightHeaders(exchange: Exchange): string[] {
  const asked = exchange.head.headers.first('access-control-request-headers');
  return [
    ...corsFields(exchange, []),
    ...['access-control-allow-methods', 'POST'],
    ...['access-control-allow-headers', asked ?? 'content-type,x-grpc-web,x-user-agent,grpc-timeout'],
    ...['access-control-max-age', '3600'],
  ];
}
