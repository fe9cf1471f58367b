/** Who sent a request, and what they may do. */
export interface Caller {
  readonly userId: string;
  readonly userName: string;
  /** The token that the request came with; undefined for who came without. */
  readonly tokenId: string | undefined;
  /** Where the request came from, for the journals. */
  readonly sourceAddress: string;
  /** Whether a role gives the permission: over everything, or (with a name) in that project. */
  may(category: string, action: string, projectName?: string): boolean;
  /** The projects in which the caller has any permission. */
  readonly projects: 'all' | readonly string[];
}
