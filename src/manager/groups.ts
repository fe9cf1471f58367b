/** The groups of the management API, as tags of its OpenAPI document: name and purpose. */
export const managerGroups = [
  { name: 'Tokens', description: 'personal access tokens: how to get, renew and revoke them' },
  { name: 'Users', description: 'accounts: who may sign in' },
  { name: 'Roles', description: 'what accounts may do, everywhere or in a project' },
  { name: 'Projects', description: 'what belongs together: proxies, connections, secrets' },
  { name: 'Environments', description: 'where proxies are deployed to' },
  { name: 'Key stores', description: 'private keys with their certificates, for TLS' },
  { name: 'Trust stores', description: 'certificates of others that are trusted, for TLS' },
  { name: 'Environment variables', description: 'values that differ from environment to environment' },
  { name: 'Connections', description: 'webhook connections: endpoints outside that events are sent to' },
  { name: 'Log connectors', description: 'which connections the log records of an environment go through' },
  { name: 'Unsent records', description: 'log records that could not be delivered, and their transfer' },
  { name: 'Settings', description: 'settings of the whole installation, by category' },
  { name: 'Journals', description: 'what happened: sign-ins, changes, tokens, deployments, messages' },
  { name: 'Probes', description: 'whether a token works' },
  { name: 'Documentation', description: 'this API described, for programs and for people' },
] as const;
