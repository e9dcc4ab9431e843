// Called before start, test and check: builds what is named, or all, unless it is up to date.
import { buildDashboard } from './building/build-dashboard.mjs'
import { buildSdkTypes } from './building/build-sdk-types.mjs'
import { buildServer } from './building/build-server.mjs'

const BUILDS = { 'sdk-types': buildSdkTypes, dashboard: buildDashboard, server: buildServer }

const quiet = process.argv.includes('--quiet')
const named = process.argv.slice(2).filter((one) => one !== '--quiet')
for (const [name, build] of Object.entries(BUILDS)) if (named.length === 0 || named.includes(name)) build({ quiet })
