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
