import { json } from '../../../kernel/catalogue/declarations.ts';
import { profileView } from '../../../model/user.ts';
import { endpoint, type ManagerEndpoint } from '../../endpoint.ts';
import { signedIn } from '../../resources/examples.ts';
import { plainResult } from '../../resources/plain-result.ts';
import { userViewOf } from './user-view.ts';

export const profileEndpoints: readonly ManagerEndpoint[] = [
  endpoint({
    id: 'profile',
    group: 'Users',
    methods: ['GET'],
    path: '/apiops/profile/',
    summary: 'Shows the caller: whose token this is, and what they may do.',
    access: 'token',
    errors: 'newer',
    responses: { 200: json('The account of the caller.', profileView) },
    examples: [
      {
        name: 'the administrator',
        ...signedIn,
        expect: {
          status: 200,
          json: {
            name: 'admin',
            roles: [{ role: 'admin' }],
            grants: [{ role: 'admin' }],
          },
        },
      },
      {
        name: 'nobody',
        expect: { status: 401, json: { errorKey: 'TOKEN_MISSING' } },
      },
    ],
    handle: async ({ caller, services }) => {
      const user = await services.users.require(caller.userName);
      const { roles, edition } = user.value;
      const granted = await services.roles.grantsOf(roles);
      const grants = granted.map(({ permissions }, index) => ({ ...roles[index]!, permissions }));
      return plainResult({ ...userViewOf(user, services.clock.now()), grants }, edition);
    },
  }),
];
