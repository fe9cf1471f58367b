import { xmlElement } from '../../content/xml.ts';
import { endpoint } from '../../endpoint.ts';
import { answerSoap } from '../../soap/binding.ts';
import { example11, example12, plainToken } from '../../soap/example-messages.ts';
import { operate } from '../../soap/operation.ts';
import { isSecurityBlock, verifyUsernameToken } from '../../soap/username-token.ts';
import { request, SOAP_GROUP, soapBody, soapResponses } from './soap-entry.ts';

export const secured = endpoint({
  id: 'soap-secured',
  group: SOAP_GROUP,
  methods: ['POST'],
  path: '/soap/secured',
  summary: 'WhoAmI behind a WS-Security UsernameToken.',
  description:
    'PasswordText or PasswordDigest, by the user name and password of the service. A token is good for five minutes around its Created time, and a Nonce once.',
  body: soapBody,
  responses: soapResponses,
  examples: [
    {
      name: 'a password as it is',
      ...example11(request('WhoAmI'), plainToken('user', 'password')),
      expect: {
        status: 200,
        text: /<userName>user<\/userName>\s*<passwordType>PasswordText<\/passwordType>/,
      },
    },
    {
      name: 'a wrong password in SOAP 1.1',
      ...example11(request('WhoAmI'), plainToken('user', 'guess')),
      expect: { status: 500, text: /<faultcode xmlns:wsse="[^"]+">wsse:FailedAuthentication<\/faultcode>/ },
    },
    {
      name: 'no token in SOAP 1.2',
      ...example12(request('WhoAmI')),
      expect: {
        status: 400,
        text: /<soap:Value>soap:Sender<\/soap:Value>\s*<soap:Subcode>\s*<soap:Value xmlns:wsse="[^"]+">wsse:InvalidSecurity</,
      },
    },
  ],
  handle: (call) =>
    answerSoap(call, {
      understands: isSecurityBlock,
      answer: async (context) => {
        const { settings, clock, state } = call.services;
        const user = await verifyUsernameToken(context.message.headerBlocks, {
          userName: settings.authUser,
          password: settings.authPassword,
          nowMs: clock.now(),
          useNonce: (nonce) => state.soapNonces.use(nonce),
        });
        const WhoAmI = () => [
          xmlElement('userName', [user.userName]),
          xmlElement('passwordType', [user.passwordType]),
        ];
        return operate({ WhoAmI }, context);
      },
    }),
});
