/**
 * What a key may do. `manage` covers metrics, monitors, webhooks, clusters, keys and deletion in the key's own project;
 * `admin` is instance-wide and covers projects and their keys, and imports that keep ids. No scope includes another.
 */
export const SCOPES = ['ingest', 'read', 'media:sign', 'manage', 'admin'] as const

export type Scope = (typeof SCOPES)[number]
