import { earlyRequests } from './api/client/early-requests.ts'
import { showLoadFailure } from './load-failure.ts'
import './styles.css'

// The first script of the page, and a small one: what its path shows is asked for, and the screen's own script, while
// the rest is still on its way.
const traceId = /^\/app\/traces\/(tr_[0-9a-z]+)$/.exec(location.pathname)?.[1]
earlyRequests.send('/v1/session')
if (traceId !== undefined) earlyRequests.send(`/v1/traces/${traceId}`)

import('./main.tsx').catch(showLoadFailure)
// The router loads them too, and says so when they cannot be had.
const nothing = () => {}
if (traceId !== undefined) import('./trace/trace-screen.tsx').catch(nothing)
else if (['/', '/app', '/app/traces'].includes(location.pathname)) import('./traces/traces-screen.tsx').catch(nothing)
