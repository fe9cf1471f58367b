import { bidi, clientStream, type ServiceMethods, serverStream, unary } from '../call.ts';

interface HelloRequest {
  readonly greeting: string;
}

const REPLY_COUNT = 10;

const nameIn = (request: HelloRequest) => (Object.hasOwn(request, 'greeting') ? request.greeting : 'noname');
const helloTo = (names: string) => ({ reply: `hello ${names}` });

export const helloService: ServiceMethods = {
  SayHello: unary((request: HelloRequest) => helloTo(nameIn(request))),
  LotsOfReplies: serverStream(async function* (request: HelloRequest) {
    for (let sent = 0; sent < REPLY_COUNT; sent++) yield helloTo(nameIn(request));
  }),
  LotsOfGreetings: clientStream(async (requests: AsyncIterable<HelloRequest>) => {
    const names: string[] = [];
    for await (const request of requests) names.push(nameIn(request));
    return helloTo(names.join(', '));
  }),
  BidiHello: bidi(async function* (requests: AsyncIterable<HelloRequest>) {
    for await (const request of requests) yield helloTo(nameIn(request));
  }),
};
