// clang-tidy 16, with all its checks, options and messages, but its checks walk our own code only. As Debian builds it
// they walk all that a source includes, the standard library, asio and CAF too, and what they find there is thrown
// away: that is two thirds of its time. (Since version 21 clang-tidy does the same by itself.)
//
// How: clang-tidy asks MatchFinder::newASTConsumer() for the walk. The linker (--wrap, see meson.build) leads that call
// here.
#include <clang-tidy/tool/ClangTidyMain.h>
#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/ASTMatchers/ASTMatchFinder.h>
#include <clang/Basic/SourceManager.h>

#include <memory>
#include <utility>
#include <vector>

using consumer = std::unique_ptr<clang::ASTConsumer>;

consumer
walk_of(clang::ast_matchers::MatchFinder* finder) asm("__real__ZN5clang12ast_matchers11MatchFinder14newASTConsumerEv");
consumer narrow_walk_of(clang::ast_matchers::MatchFinder* finder) asm(
  "__wrap__ZN5clang12ast_matchers11MatchFinder14newASTConsumerEv");

namespace {

/// Narrows the unit to the declarations that are in no system header, then lets the checks walk it.
class own_code_only : public clang::ASTConsumer {
public:
  explicit own_code_only(consumer checks) : checks_{std::move(checks)} {}

  void HandleTranslationUnit(clang::ASTContext& unit) override {
    std::vector<clang::Decl*> own;
    for (auto* declaration : unit.getTranslationUnitDecl()->decls())
      if (!unit.getSourceManager().isInSystemHeader(declaration->getLocation()))
        own.push_back(declaration);
    unit.setTraversalScope(own);
    checks_->HandleTranslationUnit(unit);
  }

private:
  consumer checks_;
};

} // namespace

consumer narrow_walk_of(clang::ast_matchers::MatchFinder* finder) {
  return std::make_unique<own_code_only>(walk_of(finder));
}

int main(int argc, char** argv) { return clang::tidy::clangTidyMain(argc, const_cast<const char**>(argv)); }
