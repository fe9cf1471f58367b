import { deserialize, serialize } from 'node:v8';

/**
 * State that several processes of one module share. A keeper is a plain object whose methods take and return
 * structured-cloneable values; one process holds it, all others call it by message. With one process the call
 * is direct. Either way handlers see the same asynchronous shape.
 */
export type Keepers = Readonly<Record<string, object>>;

export type Shared<Keeper> = {
  readonly [Name in keyof Keeper as Keeper[Name] extends (...args: never[]) => unknown
    ? Name
    : never]: Keeper[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never;
};

export type SharedState<All extends Keepers> = { readonly [Name in keyof All]: Shared<All[Name]> };

/**
 * The state of a module that runs in one process. Values are copied on their way in and out, just as they are on the way
 * between processes, so that a handler can never change what a keeper holds behind its back.
 */
export function localState<All extends Keepers>(keepers: All): SharedState<All> {
  const shared = Object.entries(keepers).map(([name, keeper]) => [name, sharedMethodsOf(keeper)]);
  return Object.fromEntries(shared) as SharedState<All>;
}

type Methods = Record<string, (...args: unknown[]) => unknown>;

function sharedMethodsOf(keeper: object): Methods {
  const shared: Methods = {};
  for (const name of methodNamesOf(keeper)) {
    shared[name] = async (...args) =>
      copied(await (keeper as Methods)[name]!(...(copied(args) as unknown[])));
  }
  return shared;
}

function methodNamesOf(keeper: object): Set<string> {
  const names = new Set<string>();
  for (
    let level = keeper;
    level !== Object.prototype && level !== null;
    level = Object.getPrototypeOf(level)
  ) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(level))) {
      if (typeof value === 'function' && name !== 'constructor') names.add(name);
    }
  }
  return names;
}

/** The copy that messages between processes make: buffers stay buffers. */
function copied(value: unknown): unknown {
  return value === undefined ? undefined : deserialize(serialize(value));
}
