// node --import this: modules of this repository import the packages that build-test-packages.mjs has bundled. npm may
// run on Node 20, which loads this too and has no such hooks.
import { readdirSync } from 'node:fs'
import module from 'node:module'

const root = new URL('../..', import.meta.url).href
const folder = new URL('node_modules/.bundled-for-tests/', root)
const urls = new Map(
  readdirSync(folder)
    .filter((name) => name.endsWith('.mjs'))
    .map((name) => [name.slice(0, -'.mjs'.length).replace('-', '/'), new URL(name, folder).href]),
)

module.registerHooks?.({
  resolve(specifier, context, nextResolve) {
    const url = urls.get(specifier)
    const isOurs = context.parentURL?.startsWith(root) === true && !context.parentURL.includes('/node_modules/')
    if (url === undefined || !isOurs) return nextResolve(specifier, context)
    return { url, format: 'module', shortCircuit: true }
  },
})
