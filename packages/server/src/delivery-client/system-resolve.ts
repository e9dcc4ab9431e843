import { lookup } from 'node:dns'
import type { ResolveName } from './guarded-connector.ts'

/** Resolves as other programs of the machine do, its hosts file included. */
export const systemResolve: ResolveName = (name, report) => {
  lookup(name, { all: true }, (error, addresses) => report(error === null ? addresses : []))
}
