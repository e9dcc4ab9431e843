import type { Scope } from '@spoor/contract/scopes'

/** What each scope allows. No scope includes another. */
export const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  ingest: 'Send traces, steps, metric events and media.',
  read: 'Read all data of the project.',
  'media:sign': 'Create signed URLs for direct uploads. For trusted backends.',
  manage: 'Manage metrics, monitors, webhooks, clusters, prices and keys, and delete data.',
  admin: 'Create projects, and keys for any project.',
}
