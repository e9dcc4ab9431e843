import type { Environment } from '../start/environment.ts'

export interface EmbeddedEnvironment extends Environment {
  /** Absolute. */
  readonly dataDir: string
}
