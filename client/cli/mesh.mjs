#!/usr/bin/env node
// The `mesh` command. In a clone it first makes sure that what it runs is installed and compiled from the present sources.
import { prepare } from '../../worker/bootstrap.mjs';

prepare();
const { runCli } = await import('../../dist/client/cli/main.js');
await runCli(process.argv);
