import { reply } from '../../kernel/catalogue/answer.ts';
import { json } from '../../kernel/catalogue/declarations.ts';
import { endpoint, type TestbedEndpoint } from '../endpoint.ts';

const grpcServices = endpoint({
  id: 'grpc-services',
  group: 'Test Utilities',
  methods: ['GET'],
  path: '/grpc',
  summary: 'The gRPC services that stand on this port, and their limits.',
  description:
    'Calls are made on the same port: gRPC by HTTP/2 with prior knowledge, grpc-web by HTTP/1.1 and HTTP/2. Reflection (v1 and v1alpha) tells the messages.',
  responses: { 200: json('Services, methods and limits.') },
  examples: [
    {
      name: 'services and limits',
      expect: {
        status: 200,
        json: { limits: { maxMessageBytes: 4194304 } },
        text: /"path": "\/grpcbin\.GRPCBin\/DummyServerStream",\s*"request": "DummyMessage",\s*"reply": "stream DummyMessage"/,
      },
    },
  ],
  handle: async () => {
    // The codec is read when it is first needed: the service starts faster without.
    const { describeServices } = await import('../grpc/service-list.ts');
    return reply.json(describeServices());
  },
});

export const grpc: readonly TestbedEndpoint[] = [grpcServices];
