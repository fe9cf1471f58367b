import { request } from 'node:http';
import { HeaderList } from '../http1/header-list.ts';
import type { OutboundAnswer, OutboundCall } from '../kernel/outbound/http-caller.ts';

export function standInCall({
  url,
  headers = [],
  deadlineMs,
  maxBodyBytes = 1e6,
  signal,
}: OutboundCall): Promise<OutboundAnswer> {
  return new Promise((resolve, reject) => {
    const whole = AbortSignal.any([AbortSignal.timeout(deadlineMs), ...(signal ? [signal] : [])]);
    const asked = request(
      url,
      {
        headers: Object.fromEntries(
          new Array(headers.length / 2).fill(0).map((_, i) => [headers[2 * i]!, headers[2 * i + 1]!]),
        ),
        agent: false,
        signal: whole,
      },
      (answer) => {
        const chunks: Buffer[] = [];
        let size = 0;
        answer.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > maxBodyBytes) asked.destroy(new Error('too large'));
          chunks.push(chunk);
        });
        answer.on('error', reject);
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: new HeaderList(answer.rawHeaders),
            body: Buffer.concat(chunks),
          }),
        );
      },
    );
    asked.on('error', reject).end();
  });
}
