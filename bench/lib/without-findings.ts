/** For `node --import`: a service that finds neither repetitions nor values from nowhere. */
import { registerHooks } from 'node:module'

/** Modules of the service by the end of their address. */
const REPLACED: Readonly<Record<string, string>> = {
  '/traces/intake/calls-of-findings.ts': 'export const callsOfFindings = () => ({})',
  '/traces/rules/run-calls.ts':
    `export * from './run-calls.ts?own'\n` +
    'export const withCalls = (before) => before\nexport const withoutCalls = (before) => before',
  '/traces/insight/unfounded-values.ts':
    'export class UnfoundedValues { hasWork = false; committed() {}; async search() {} }',
}

registerHooks({
  load(url, context, nextLoad) {
    const found = Object.entries(REPLACED).find(([path]) => url.endsWith(path))
    return found === undefined ? nextLoad(url, context) : { format: 'module', source: found[1], shortCircuit: true }
  },
})
