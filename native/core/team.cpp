#include "core/team.h"

namespace acltwin {
namespace {

thread_local const Team* in_use = nullptr;

}  // namespace

UseTeam::UseTeam(const Team* team) : before_(in_use) { in_use = team; }
UseTeam::~UseTeam() { in_use = before_; }

const Team* team_in_use() { return in_use; }

}  // namespace acltwin
