/** An object as it would be deployed now. */
export interface CompiledObject {
  readonly enabled: boolean;
  readonly content: object;
}

/** Makes what is deployed of the objects of one kind. */
export interface ObjectCompiler {
  /** How such an object is called in texts, such as `Connection`. */
  readonly type: string;
  /**
   * Undefined when there is no such object, or nothing of it for this environment. Rejects with the fault
   * `deployment.reference-missing` when something that it refers to is not there.
   */
  compile(objectId: string, environmentId: string): Promise<CompiledObject | undefined>;
}
