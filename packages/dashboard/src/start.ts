import { enterProject, fromAddress, projectInAddress } from './api/client/current-project.ts'
import { earlyRequests } from './api/client/early-requests.ts'
import { firstRows } from './api/client/first-rows.ts'
import { showLoadFailure } from './load-failure.ts'
import './styles.css'

// The first and small script of the page. It requests the data of the path and the script of the screen while the other
// scripts load.
enterProject(projectInAddress(location.pathname))
const path = fromAddress(location.pathname)
const traceId = /^\/app\/traces\/(tr_[0-9a-z]+)$/.exec(path)?.[1]
earlyRequests.send('/v1/session')
const stored = (key: string) => localStorage.getItem(key)
for (const rows of firstRows(path, location.search, Date.now(), stored)) earlyRequests.send(rows)

import('./main.tsx').catch(showLoadFailure)
// The router loads them too, and reports errors.
const nothing = () => {}
if (traceId !== undefined) import('./trace/trace-screen.tsx').catch(nothing)
else if (path === '/app/traces') import('./explore/explore-screen.tsx').catch(nothing)
else if (['/', '/app', '/app/home'].includes(path)) import('./home/home-screen.tsx').catch(nothing)
else if (path === '/app/sessions') import('./sessions/sessions-screen.tsx').catch(nothing)
else if (path.startsWith('/app/sessions/')) import('./sessions/session-screen.tsx').catch(nothing)
else if (path === '/app/users') import('./sessions/users-screen.tsx').catch(nothing)
else if (path.startsWith('/app/users/')) import('./sessions/user-screen.tsx').catch(nothing)
