import { after, describe, test } from 'node:test';
import type { Example, ExampleRequest } from '../kernel/catalogue/endpoint.ts';
import { runExample } from '../kernel/catalogue/testing/run-example.ts';
import { managerCatalogue } from './catalogue.ts';
import type { ManagerEndpoint } from './endpoint.ts';
import { ACCESS_TOKEN } from './resources/examples.ts';
import { startManager } from './testing/start-manager.ts';

/** Examples that change nothing share one Manager; each of the others has one of its own. */
const shared = await startManager();
after(() => shared.close());

for (const endpoint of managerCatalogue) {
  if (endpoint.examples.length === 0) continue;
  describe(endpoint.id, () => {
    for (const example of endpoint.examples) {
      test(example.name, async () => {
        if (changesNothing(endpoint, example)) {
          await runExample(shared.port, endpoint, withToken(example, shared.adminToken));
          return;
        }
        await using manager = await startManager();
        await runExample(manager.port, endpoint, withToken(example, manager.adminToken));
      });
    }
  });
}

function changesNothing({ methods }: ManagerEndpoint, { method, setUp, expect }: Example): boolean {
  const isRead = (method ?? methods[0]) === 'GET';
  return setUp === undefined && (isRead || expect.status === 400);
}

/** The example as somebody sends it who is signed in. */
function withToken(example: Example, token: string): Example {
  const filled = <Request extends ExampleRequest>(request: Request): Request => ({
    ...request,
    ...(request.headers && { headers: request.headers.map((text) => text.replace(ACCESS_TOKEN, token)) }),
    ...(typeof request.body === 'string' && { body: request.body.replace(ACCESS_TOKEN, token) }),
  });
  return { ...filled(example), ...(example.setUp && { setUp: example.setUp.map(filled) }) };
}
