import type { AnswerContext } from '../../kernel/catalogue/dispatcher.ts';
import type { AccessRule } from '../../kernel/catalogue/endpoint.ts';
import type { RequestView } from '../../kernel/catalogue/request-view.ts';
import { Fault, fault } from '../../kernel/faults.ts';
import type { ManagerServices } from '../services.ts';
import { anonymousCaller, type Caller, createCaller } from './caller.ts';
import { CHALLENGE } from './challenge.ts';

type Identify = (
  context: AnswerContext<unknown>,
  params: Readonly<Record<string, string>>,
) => Caller | Promise<Caller>;

/** Finds the owner of the token that a request came with, and whether they may do what it asks for. */
export function createIdentify(services: Pick<ManagerServices, 'tokens' | 'roles' | 'guards'>): Identify {
  const { tokens, roles, guards } = services;
  return ({ request, endpoint }, params) => {
    // An entry that says nothing is no exception to the rule: a token is needed.
    const access = endpoint?.access ?? 'token';
    return access === 'open' ? anonymousCaller(request.peerAddress) : authorised(request, access, params);
  };

  async function authorised(
    request: RequestView,
    access: Exclude<AccessRule, 'open'>,
    params: Readonly<Record<string, string>>,
  ): Promise<Caller> {
    const caller = await authenticated(request);
    if (typeof access === 'object') refuseWithout(caller, access, params.project ?? '');
    return caller;
  }

  async function authenticated(request: RequestView): Promise<Caller> {
    try {
      const { tokenId, user } = await tokens.verify(bearerOf(request));
      return createCaller(
        {
          userId: user.id,
          userName: user.value.name,
          tokenId,
          sourceAddress: request.peerAddress,
        },
        await roles.grantsOf(user.value.roles),
      );
    } catch (error) {
      if (error instanceof Fault && error.status === 401) await guards.passRefused(request.peerAddress);
      throw error;
    }
  }
}

/** The prefix is mandatory, written just so (spec 2 §5). No other header field and no cookie counts. */
function bearerOf({ headers }: RequestView): string {
  const value = headers.get('authorization') ?? '';
  const token = value.startsWith('Bearer ') ? value.slice('Bearer '.length) : '';
  if (token === '') throw fault('token.missing', {}, CHALLENGE);
  return token;
}

/** A project that the caller may not see is told like one that is not there. */
function refuseWithout(
  caller: Caller,
  { category, action, scope }: Exclude<AccessRule, string>,
  projectName: string,
): void {
  const isInProject = scope === 'project';
  if (caller.may(category, action, isInProject ? projectName : undefined)) return;
  const isSeen = !isInProject || caller.projects === 'all' || caller.projects.includes(projectName);
  throw isSeen ? fault('permission.denied') : fault('project.not-found', { name: projectName });
}
