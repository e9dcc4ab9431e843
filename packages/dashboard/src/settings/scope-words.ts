import type { Scope } from '@spoor/contract/scopes'

/** What a key with each scope may do. None includes another. */
export const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  ingest: 'Send traces, steps, metric events and media.',
  read: 'Read everything in the project.',
  'media:sign': 'Get signed URLs for direct uploads. For trusted backends.',
  manage: 'Set metrics, monitors, webhooks, clusters, prices and keys, and delete.',
  admin: 'Make projects, and keys of every project.',
}
