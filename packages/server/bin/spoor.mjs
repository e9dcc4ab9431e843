#!/usr/bin/env node
// Plain JavaScript for Node 20 and later: what it starts needs Node 24, which it finds first.
import { fileURLToPath } from 'node:url'
import { launch } from './launch.mjs'

launch(fileURLToPath(new URL('../src/main.ts', import.meta.url)), process.argv.slice(2))
