#!/usr/bin/env node
// Plain JavaScript for Node 20 and later: the program that it starts needs Node 24, which it finds first.
import { launch } from './launch.mjs'
import { findProgram } from './source-hash.mjs'

launch(findProgram(), process.argv.slice(2))
