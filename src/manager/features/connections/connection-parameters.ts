import { fault } from '../../../kernel/faults.ts';
import {
  completeParameters,
  type ParameterInput,
  type ParameterSet,
  parameterNames,
} from '../../../model/connection.ts';
import type { StoredConnection, StoredParameters } from '../../../model/connection-document.ts';
import { brokenParameterRule, reservedNames } from '../../../model/connection-rules.ts';
import { maskedMembers, withStoredSecrets } from '../../../model/connection-secrets.ts';
import { checkedName } from '../../resources/names.ts';

/** The name, when connections may have it. */
export function checkedConnectionName(name: string): string {
  if (name.trim() === '') throw fault('connection.name-empty');
  if (reservedNames.has(name))
    throw fault('resource.name-invalid', { pointer: '/name', rule: `${name} is reserved` });
  return checkedName(name);
}

export function storedParameters(
  { parameterSets }: StoredConnection,
  environmentId: string,
): StoredParameters | undefined {
  return parameterSets.find((one) => one.environmentId === environmentId)?.parameters;
}

/** What a body says about parameters. */
export function parametersIn(body: object): Partial<ParameterInput> {
  const members = Object.entries(body).filter(([name]) =>
    (parameterNames as readonly string[]).includes(name),
  );
  return Object.fromEntries(members);
}

/** The given ones over those that are stored; without any stored, method and address must be given. */
export function mergedParameters(
  given: Partial<ParameterInput>,
  stored: ParameterSet | undefined,
): ParameterSet {
  const { httpMethod, fullUrl } = { ...stored, ...given };
  if (httpMethod === undefined || fullUrl === undefined) {
    const missing = httpMethod === undefined ? 'httpMethod' : 'fullUrl';
    throw fault('body.invalid', { pointer: '', rule: `must have required property '${missing}'` });
  }
  return withStoredSecrets(completeParameters({ ...stored, ...given, httpMethod, fullUrl }), stored);
}

/** Everything that the schema can not say of the values themselves. Secrets that are known to be missing may stay so. */
export function refuseBrokenRules(set: ParameterSet, knownMissing: readonly string[]): void {
  const broken = brokenParameterRule(set);
  if (broken) throw fault('connection.invalid', { ...broken });
  const unknown = maskedMembers(set).find((member) => !knownMissing.includes(member));
  if (unknown === undefined) return;
  const pointer = unknown === 'fullUrl' ? '/fullUrl' : '/headerList';
  throw fault('connection.invalid', { pointer, rule: `the value of ${unknown} is masked; give it anew` });
}
