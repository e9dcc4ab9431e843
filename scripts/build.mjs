// Called before start and test: builds the dashboard and the server, unless they are up to date.
import { buildDashboard } from './building/build-dashboard.mjs'
import { buildServer } from './building/build-server.mjs'

const quiet = process.argv.includes('--quiet')
buildDashboard({ quiet })
buildServer({ quiet })
