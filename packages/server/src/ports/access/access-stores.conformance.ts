import type { TestContext } from 'node:test'
import { testKeyStore } from './key-store.conformance.ts'
import type { KeyStore } from './key-store.ts'
import { testProjectStore } from './project-store.conformance.ts'
import type { ProjectStore } from './project-store.ts'
import { testSessionStore } from './session-store.conformance.ts'
import type { SessionStore } from './session-store.ts'

/** Projects, keys and sessions refer to one another, so one adapter has all three. */
export interface AccessStores {
  readonly projects: ProjectStore
  readonly keys: KeyStore
  readonly sessions: SessionStore
}

/** What the stores of projects, keys and sessions keep. `open` gives empty ones. */
export function testAccessStores(open: (context: TestContext) => Promise<AccessStores>): void {
  testProjectStore(open)
  testKeyStore(open)
  testSessionStore(open)
}
