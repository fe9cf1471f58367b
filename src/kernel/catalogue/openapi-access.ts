import { failureShapes } from '../contracts/error-contracts.ts';
import type { AccessRule, ErrorContract, ResponseDeclaration } from './endpoint.ts';
import { type Documented, inputsOf } from './operations.ts';

/** How callers show who they are (spec 2 §5), by the name under which entries ask for it. */
export const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'A personal access token in the header Authorization, behind the word Bearer.',
  },
  environment: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'The raw id of the environment, without any word before it.',
  },
};

/** What OpenAPI says of who may call an entry; nothing for entries of a module without callers. */
export function securityOf({ access }: Documented): object[] | undefined {
  if (access === undefined) return undefined;
  if (access === 'environment') return [{ environment: [] }];
  return access === 'open' ? [] : [{ bearer: [] }];
}

/** The permission in words that tools may show beside the operation. */
export function permissionOf({ access }: Documented): string | undefined {
  return isPermission(access) ? `${access.category} ${access.action} (${access.scope})` : undefined;
}

/** The declared responses, and behind them the failures that entries of its contract share. */
export function responsesOf(endpoint: Documented): Documented['responses'] {
  const { access, errors, responses } = endpoint;
  if (access === undefined && errors === undefined) return responses;
  return { ...sharedFailures(endpoint, errors ?? 'problem'), ...responses };
}

function sharedFailures(endpoint: Documented, contract: ErrorContract): Record<number, ResponseDeclaration> {
  const { access, body } = endpoint;
  const { mediaType, schema } = failureShapes[contract];
  const failure = (description: string) => ({ description, content: { [mediaType]: schema } });
  const hasInput = body !== undefined || inputsOf(endpoint).length > 0;
  // The older contract tells a missing permission and a missing object by 400 as well (spec 2 §7.1).
  const has400 = hasInput || (contract === 'envelope' && isPermission(access));
  const has403 = contract !== 'envelope' && isPermission(access);
  const failures: Record<number, ResponseDeclaration> = {
    500: failure('Something unexpected happened; the log tells more.'),
  };
  if (has400) failures[400] = failure('The request cannot be done as it stands.');
  if (access === 'environment') failures[401] = failure('The id of the environment is missing or another.');
  else if (access !== undefined && access !== 'open')
    failures[401] = failure('The token is missing, not valid or expired.');
  if (has403) failures[403] = failure('The caller lacks the permission.');
  return failures;
}

function isPermission(access: AccessRule | undefined): access is Exclude<AccessRule, string> {
  return typeof access === 'object';
}
