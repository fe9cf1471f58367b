/** One error: what it is answered with. */
export interface FaultRow {
  readonly status: number;
  readonly title: string;
  /** `{name}` is filled from the fault's values. */
  readonly detail: string;
  /** The stable name of the reason in management contracts (spec 2 §7.3); made from the key unless given. */
  readonly errorKey?: string;
}
