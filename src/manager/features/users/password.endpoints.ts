import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { jsonBody, noBody } from '../../../kernel/catalogue/declarations.ts';
import { Fault, fault } from '../../../kernel/faults.ts';
import { passwordInput } from '../../../model/user.ts';
import { endpoint, type ManagerCall, type ManagerEndpoint } from '../../endpoint.ts';
import { audit } from '../../resources/audit.ts';
import { sending } from '../../resources/examples.ts';
import { refuseStronger } from './users.endpoints.ts';

export const passwordEndpoints: readonly ManagerEndpoint[] = [
  endpoint({
    id: 'user-password',
    group: 'Users',
    methods: ['POST'],
    path: '/apiops/users/{name}/password/',
    summary: 'Changes a password.',
    description:
      'Who changes their own names the current one, and a wrong one counts as a failed sign-in. Who may manage identities changes those of others. Tokens stay as they are.',
    access: 'token',
    errors: 'problem',
    params: Type.Object({ name: Type.String() }),
    body: jsonBody(passwordInput),
    responses: { 204: noBody('It is done.') },
    examples: [
      {
        name: 'the own one, without the current one',
        path: '/apiops/users/admin/password/',
        ...sending({ newPassword: 'at least eight' }),
        expect: { status: 403, json: { errorKey: 'USER_PASSWORD_WRONG' } },
      },
    ],
    handle: async (call) => {
      const { params, body, caller, services } = call;
      if (params.name === caller.userName) await proveSelf(call, body.currentPassword);
      else await refuseOthers(call, params.name);
      await services.users.setPassword(params.name, body.newPassword);
      await audit(call, { action: 'UPDATE', objectType: 'password of user', objectName: params.name });
      return reply.empty(204);
    },
  }),
];

type UserCall = Pick<ManagerCall, 'caller' | 'services'>;

/** A stolen token must not be enough to take the account over, nor a way around the guards of signing in. */
async function proveSelf({ caller, services }: UserCall, password: string | undefined): Promise<void> {
  if (!password) throw fault('user.password-wrong');
  const { userName, sourceAddress } = caller;
  try {
    await services.signIn.check({ userName, password, sourceAddress });
  } catch (error) {
    const isWrong = error instanceof Fault && error.key === 'sign-in.refused';
    throw isWrong ? fault('user.password-wrong', {}, [], { cause: error }) : error;
  }
}

/** Who may not is told so before anybody looks whether there is such a user. */
async function refuseOthers(call: UserCall, name: string): Promise<void> {
  if (!call.caller.may('IDENTITY', 'MANAGE')) throw fault('permission.denied');
  await refuseStronger(call, name);
}
