/** The console: what operators see at `/console`. */
import { Elysia } from "elysia";
import type { Deps } from "../deps.ts";
import { account } from "./account.tsx";
import { forms } from "./forms.tsx";
import { signIn } from "./sign-in.tsx";

export const consolePages = (deps: Deps) =>
  new Elysia({ name: "/console/pages" }).use(signIn(deps)).use(account(deps)).use(forms(deps));
