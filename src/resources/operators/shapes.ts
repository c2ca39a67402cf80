import { type } from "arktype";
import { limits } from "../../limits.ts";
import { documented } from "../../platform/http/documented.ts";
import { Timestamp, Uuid } from "../../platform/http/shapes.ts";

export const LoginRequest = documented(
  type({
    email: type.string.atMostLength(limits.operator.maxEmailLength),
    password: type.string.atMostLength(limits.operator.maxPasswordLength),
    "teamId?": Uuid,
  }),
  {
    members: {
      teamId:
        "The team of the session. Required for an operator of several teams: without it 409, with the list of `teams`.",
    },
  },
);

export const OperatorSession = documented(
  type({ operatorId: Uuid, teamId: Uuid, expiresAt: Timestamp }),
  "The session itself is in the cookie.",
);

export const Logout = type({ loggedOut: "true" });
