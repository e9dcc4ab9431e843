import { lookup } from 'node:dns'
import type { ResolveName } from './guarded-connect.ts'

/** As other programs of the machine resolve names, its hosts file included. */
export const systemResolve: ResolveName = (name, tell) => {
  lookup(name, { all: true }, (error, addresses) => tell(error === null ? addresses : []))
}
