import type { AnswerContext } from '../../kernel/catalogue/dispatcher.ts';
import type { ManagerServices } from '../services.ts';
import type { Caller } from './caller.ts';

/** INTERIM, to be replaced by the identity feature. */
export function createIdentify(_services: ManagerServices) {
  return async ({ request }: AnswerContext<ManagerServices>): Promise<Caller> => ({
    userId: '0'.repeat(24),
    userName: 'admin',
    tokenId: undefined,
    sourceAddress: request.peerAddress,
    may: () => true,
    projects: 'all',
  });
}
