C     A rigid coupler on three parallel massless links of length 1: the
C     third link is redundant: the constraints have rank 2 of 3, so that
C     only IOPT(11)=3 will do.  The coupler stays level; its centre is
C     a pendulum released from 60 degrees (elliptic functions).
C
C     X = [ lambda1-3 | vx vy vtheta | x y theta ]
C     RPAR: m, J, gravity, distances of the three links
C
      PROGRAM COUPLE
      IMPLICIT NONE
      INTEGER          N,M
      PARAMETER        (N=9,M=15)
      DOUBLE PRECISION XEX(N)
      INTEGER          IOPT(40),IWORK(20),IPAR(4),IERR,IDID,IJAC,
     #                 NGOOD,NBAD,I,K
      DOUBLE PRECISION X(N),T,TEND,H,TOL,ROPT(40),RWORK(5*N),RPAR(8),
     #                 RDA(M),DEVMAX,SIZMAX
      EXTERNAL         IVCOND,EOM,MAS,JAC,SOLOUT,DEVMAX,SIZMAX
C
      DATA XEX /3*4.528507834452660050D0,
     #  1.912360807424452324D0,-1.459414886566605114D0,0.D0,
     # -0.6066684959217783293D0,-0.7949549270593945005D0,0.D0/
      NGOOD=0
      NBAD=0
      RPAR(1)=2.D0
      RPAR(2)=0.3D0
      RPAR(3)=9.81D0
      RPAR(4)=-0.5D0
      RPAR(5)=0.D0
      RPAR(6)=0.5D0
      DO 50 K=1,3
        DO 10 I=1,40
          IOPT(I)=0
          ROPT(I)=0.D0
   10   CONTINUE
        IOPT(11)=3
        IOPT(15)=4
        IJAC=1
        IF (K.EQ.2) IJAC=0
        TOL=1.D-10
        IF (K.EQ.3) TOL=1.D-6
        IF (K.EQ.3) IOPT(12)=1
        X(7)=SQRT(0.75D0)
        X(8)=-0.5D0
        X(9)=0.D0
        DO 20 I=1,3
C         m*(v.v-g*y)/6, the minimum norm solution
          X(I)=RPAR(1)*RPAR(3)*0.5D0/6.D0
          X(3+I)=0.D0
   20   CONTINUE
        IF (K.EQ.1) CALL JACCHK(3,3,0,0,0,3,0,0,0.D0,X,IOPT,ROPT,
     #    EOM,JAC,RPAR,IPAR,NGOOD,NBAD)
        IF (K.EQ.1) THEN
          X(6)=0.7D0
          X(9)=0.3D0
          CALL JACCHK(3,3,0,0,0,3,0,0,0.D0,X,IOPT,ROPT,
     #      EOM,JAC,RPAR,IPAR,NGOOD,NBAD)
          X(6)=0.D0
          X(9)=0.D0
        END IF
        TEND=10.D0
        T=0.D0
        H=1.D-3
        IERR=0
        IDID=0
        CALL GEOMS(
     #    3,3,0,0,0,3,0,0,15-3*IOPT(5),N,0,
     #    X,T,TEND,H,TOL,TOL,0,IOPT,ROPT,
     #    IVCOND,EOM,MAS,JAC,IJAC,
     #    SOLOUT,0,
     #    20,IWORK,5*N,RWORK,
     #    RPAR,IPAR,IERR,
     #    IDID)
        CALL SHOWRN('Coupler',IOPT,IJAC,TOL,IDID,T,IWORK,NGOOD,NBAD)
        WRITE(6,100) (X(I),I=1,N)
        CALL VERIFY('position',DEVMAX(3,X(7),XEX(7)),1.D2*TOL,
     #              NGOOD,NBAD)
        CALL VERIFY('velocity',DEVMAX(3,X(4),XEX(4)),1.D2*TOL,
     #              NGOOD,NBAD)
        CALL VERIFY('minimum norm multipliers',DEVMAX(3,X,XEX),
     #              1.D3*TOL,NGOOD,NBAD)
        CALL EOM(15-3*IOPT(5),N,T,X,RDA,IOPT,ROPT,IPAR,RPAR,IERR)
        CALL VERIFY('residuals of gI, g',
     #              SIZMAX(6,RDA(4-3*IOPT(5))),TOL,NGOOD,NBAD)
   50 CONTINUE
C     Without the SVD the redundancy has to be reported, with both FORM.
      DO 60 K=1,3
        IOPT(5)=0
        IOPT(11)=K
        IF (K.EQ.3) THEN
          IOPT(5)=1
          IOPT(11)=1
        END IF
        CALL CLEAR(N,X)
        X(7)=SQRT(0.75D0)
        X(8)=-0.5D0
        DO 55 I=1,3
          X(I)=RPAR(1)*RPAR(3)*0.5D0/6.D0
   55   CONTINUE
        IOPT(17)=1
        T=0.D0
        H=1.D-3
        IERR=0
        IDID=0
        CALL GEOMS(
     #    3,3,0,0,0,3,0,0,15-3*IOPT(5),N,0,
     #    X,T,TEND,H,TOL,TOL,0,IOPT,ROPT,
     #    IVCOND,EOM,MAS,JAC,IJAC,
     #    SOLOUT,0,
     #    20,IWORK,5*N,RWORK,
     #    RPAR,IPAR,IERR,
     #    IDID)
        WRITE(6,110) IOPT(5),IOPT(11),IDID
        CALL VERIFY('refused',DBLE(IDID),-1.D0,NGOOD,NBAD)
        CALL VERIFY('time left alone',ABS(T),0.D0,NGOOD,NBAD)
   60 CONTINUE
      CALL FINISH(NGOOD,NBAD)
  100 FORMAT('   lambda ',3F15.10/'   v      ',3F15.10/
     #       '   p      ',3F15.10)
  110 FORMAT(/' Redundant with FORM=',I1,' DECOMPC=',I1,' : IDID=',I6)
      END
C
C     Link I: A = x+s*cos(theta)-s, B = y+s*sin(theta), g = A*A+B*B-1.
C     AB holds A, A', B, B' and the derivatives of A, B by theta.
      SUBROUTINE ROD(X,S,AB)
      IMPLICIT NONE
      DOUBLE PRECISION X(9),S,AB(8),SN,CS
      SN=S*SIN(X(9))
      CS=S*COS(X(9))
      AB(1)=X(7)+CS-S
      AB(2)=X(4)-SN*X(6)
      AB(3)=X(8)+SN
      AB(4)=X(5)+CS*X(6)
C     first and second derivatives
      AB(5)=-SN
      AB(6)=CS
      AB(7)=-CS
      AB(8)=-SN
      RETURN
      END
C
C     f-G**T*lambda
      SUBROUTINE FORCE(X,RPAR,F)
      IMPLICIT NONE
      DOUBLE PRECISION X(9),RPAR(*),F(3),AB(8)
      INTEGER          I
      F(1)=0.D0
      F(2)=-RPAR(1)*RPAR(3)
      F(3)=0.D0
      DO 10 I=1,3
        CALL ROD(X,RPAR(3+I),AB)
        F(1)=F(1)-2.D0*AB(1)*X(I)
        F(2)=F(2)-2.D0*AB(3)*X(I)
        F(3)=F(3)-2.D0*(AB(1)*AB(5)+AB(3)*AB(6))*X(I)
   10 CONTINUE
      RETURN
      END
C
      SUBROUTINE EOM(M,N,T,X,RDA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(N),RDA(M),ROPT(*),RPAR(*)
      DOUBLE PRECISION F(3),AB(8),ACC(3),A2,B2
      INTEGER          I,L
      CALL FORCE(X,RPAR,F)
      ACC(1)=F(1)/RPAR(1)
      ACC(2)=F(2)/RPAR(1)
      ACC(3)=F(3)/RPAR(2)
      L=3
      IF (IOPT(5).EQ.1) L=0
      DO 10 I=1,3
        CALL ROD(X,RPAR(3+I),AB)
        IF (L.EQ.3) THEN
          A2=ACC(1)+AB(5)*ACC(3)+AB(7)*X(6)**2
          B2=ACC(2)+AB(6)*ACC(3)+AB(8)*X(6)**2
          RDA(I)=2.D0*(AB(2)**2+AB(4)**2+AB(1)*A2+AB(3)*B2)
        END IF
        RDA(L+I)=2.D0*(AB(1)*AB(2)+AB(3)*AB(4))
        RDA(L+3+I)=AB(1)**2+AB(3)**2-1.D0
        RDA(L+6+I)=F(I)
        RDA(L+9+I)=X(3+I)
   10 CONTINUE
      RETURN
      END
C
      SUBROUTINE MAS(T,NX,X,M,N,MA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          NX,M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(NX),MA(M,N),ROPT(*),RPAR(*)
      CALL CLEAR(M*N,MA)
      MA(1,1)=RPAR(1)
      MA(2,2)=RPAR(1)
      MA(3,3)=RPAR(2)
      RETURN
      END
C
C     NEGATIVE partial derivatives.
      SUBROUTINE JAC(M1,M2,M3,M4,M5,M6,N1,N2,N3,N4,M,N,
     #               T,X,FX1,FX2,FX3,FX4,FX5,FX6,
     #               IOPT,ROPT,RPAR,IPAR,IERR)
      IMPLICIT NONE
      INTEGER          M1,M2,M3,M4,M5,M6,N1,N2,N3,N4,M,N,
     #                 IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(N),FX1(M1,N),FX2(M2,N3+N4),FX3(M3,N4),
     #                 FX4(M4,N),FX5(M5,N),FX6(M6,N3+N4),
     #                 ROPT(*),RPAR(*)
      DOUBLE PRECISION F(3),AB(8),ACC(3),G(3),A2,B2,W,D
      INTEGER          I,J,K
      CALL FORCE(X,RPAR,F)
      ACC(1)=F(1)/RPAR(1)
      ACC(2)=F(2)/RPAR(1)
      ACC(3)=F(3)/RPAR(2)
      W=X(6)
      CALL CLEAR(M1*N,FX1)
      CALL CLEAR(M2*(N3+N4),FX2)
      CALL CLEAR(M3*N4,FX3)
      CALL CLEAR(M4*N,FX4)
      CALL CLEAR(M5*N,FX5)
      CALL CLEAR(M6*(N3+N4),FX6)
      DO 10 I=1,3
        CALL ROD(X,RPAR(3+I),AB)
        G(1)=2.D0*AB(1)
        G(2)=2.D0*AB(3)
        G(3)=2.D0*(AB(1)*AB(5)+AB(3)*AB(6))
        DO 5 J=1,3
          FX2(I,J)=-G(J)
          FX3(I,J)=-G(J)
          FX5(J,I)=G(J)
    5   CONTINUE
        FX2(I,4)=-2.D0*AB(2)
        FX2(I,5)=-2.D0*AB(4)
        FX2(I,6)=-2.D0*(AB(5)*AB(2)+AB(1)*AB(7)*W
     #                 +AB(6)*AB(4)+AB(3)*AB(8)*W)
        FX6(I,I)=-1.D0
        D=2.D0*X(I)
        FX5(1,7)=FX5(1,7)+D
        FX5(1,9)=FX5(1,9)+D*AB(5)
        FX5(2,8)=FX5(2,8)+D
        FX5(2,9)=FX5(2,9)+D*AB(6)
        FX5(3,7)=FX5(3,7)+D*AB(5)
        FX5(3,8)=FX5(3,8)+D*AB(6)
        FX5(3,9)=FX5(3,9)+D*(AB(5)**2+AB(1)*AB(7)
     #                      +AB(6)**2+AB(3)*AB(8))
   10 CONTINUE
      IF (M1.EQ.0) RETURN
      DO 30 I=1,3
        CALL ROD(X,RPAR(3+I),AB)
C       The part through the accelerations, then that with these fixed.
        DO 20 K=1,N
          FX1(I,K)=2.D0*(AB(1)*FX5(1,K)+AB(3)*FX5(2,K))/RPAR(1)
     #      +2.D0*(AB(1)*AB(5)+AB(3)*AB(6))*FX5(3,K)/RPAR(2)
   20   CONTINUE
        A2=ACC(1)+AB(5)*ACC(3)+AB(7)*W**2
        B2=ACC(2)+AB(6)*ACC(3)+AB(8)*W**2
        FX1(I,4)=FX1(I,4)-4.D0*AB(2)
        FX1(I,5)=FX1(I,5)-4.D0*AB(4)
        FX1(I,6)=FX1(I,6)-4.D0*(AB(2)*AB(5)+AB(4)*AB(6))
     #           -4.D0*W*(AB(1)*AB(7)+AB(3)*AB(8))
        FX1(I,7)=FX1(I,7)-2.D0*A2
        FX1(I,8)=FX1(I,8)-2.D0*B2
C       The third derivatives by theta are minus the first ones.
        FX1(I,9)=FX1(I,9)-2.D0*(2.D0*W*(AB(2)*AB(7)+AB(4)*AB(8))
     #    +AB(5)*A2+AB(1)*(AB(7)*ACC(3)-AB(5)*W**2)
     #    +AB(6)*B2+AB(3)*(AB(8)*ACC(3)-AB(6)*W**2))
   30 CONTINUE
      RETURN
      END
C
      SUBROUTINE CLEAR(LENGTH,A)
      IMPLICIT NONE
      INTEGER          LENGTH,I
      DOUBLE PRECISION A(*)
      DO 10 I=1,LENGTH
        A(I)=0.D0
   10 CONTINUE
      RETURN
      END
C
C     Not called (IOUT=0).
      SUBROUTINE SOLOUT(NACCPT,TOLD,T,X,N,NN2,NN3,NN4,CONTX,H,C1M1,
     #                  C2M1,RPAR,IPAR,IERR)
      IMPLICIT NONE
      INTEGER          NACCPT,N,NN2,NN3,NN4,IPAR(*),IERR
      DOUBLE PRECISION TOLD,T,H,X(N),CONTX(NN4),RPAR(*),C1M1,C2M1
      RETURN
      END
C
C     The initial values are consistent: nothing to add.
      SUBROUTINE IVCOND(N,T,X,NCOND,COND,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          N,NCOND,IPAR(*),IERR
      DOUBLE PRECISION T,X(N),COND(NCOND),RPAR(*)
      RETURN
      END
C
C     ---- Checks; the same in every driver, no part of the model. ----
C
C     JACCHK: JAC against central differences of EOM at (T,X); the
C     largest deviation of each block, relative to the row.  All entries
C     of JAC are filled with rubbish before, so that one which is never
C     set is found as well.
      SUBROUTINE JACCHK(NP,NV,NR,NW,NS,NL,NM,NI,T,X,IOPT,ROPT,
     #                  EOM,JAC,RPAR,IPAR,NGOOD,NBAD)
      IMPLICIT NONE
      INTEGER          MAXM,MAXN
      PARAMETER        (MAXM=200,MAXN=120)
      INTEGER          NP,NV,NR,NW,NS,NL,NM,NI,IOPT(*),IPAR(*),
     #                 NGOOD,NBAD
      DOUBLE PRECISION T,X(*),ROPT(*),RPAR(*)
      EXTERNAL         EOM,JAC
      INTEGER          MB(6),NB(6),KB(7),N1,N2,N3,N4,M,N,I,J,K,L,IERR
      DOUBLE PRECISION FX(MAXM*MAXN),XD(MAXN),RP(MAXM),RM(MAXM),D,
     #                 ENTRY,DEV(6),RDEV(MAXM),RSIZE(MAXM)
      SAVE             FX
      LOGICAL          GOOD
      CHARACTER*4      WORD
      N1=NW+NL+NM
      N2=NR
      N3=NV
      N4=NS+NP
      N=N1+N2+N3+N4
      MB(1)=NW
      IF (IOPT(5).EQ.0) MB(1)=N1
      MB(2)=NL+NM+NI
      MB(3)=NS+NL
      MB(4)=NR
      MB(5)=NV
      MB(6)=NP
      NB(1)=N
      NB(2)=N3+N4
      NB(3)=N4
      NB(4)=N
      NB(5)=N
      NB(6)=N3+N4
      KB(1)=1
      M=0
      DO 10 K=1,6
        KB(K+1)=KB(K)+MB(K)*NB(K)
        M=M+MB(K)
        DEV(K)=0.D0
   10 CONTINUE
      DO 15 I=1,M
        RDEV(I)=0.D0
        RSIZE(I)=1.D0
   15 CONTINUE
      DO 20 I=1,MAXM*MAXN
        FX(I)=7.77D7
   20 CONTINUE
      IERR=0
      CALL JAC(MB(1),MB(2),MB(3),MB(4),MB(5),MB(6),N1,N2,N3,N4,M,N,
     #         T,X,FX(KB(1)),FX(KB(2)),FX(KB(3)),FX(KB(4)),
     #         FX(KB(5)),FX(KB(6)),IOPT,ROPT,RPAR,IPAR,IERR)
      DO 30 I=1,N
        XD(I)=X(I)
   30 CONTINUE
      DO 70 J=1,N
        D=6.D-6*(0.1D0+ABS(X(J)))
        XD(J)=X(J)+D
        CALL EOM(M,N,T,XD,RP,IOPT,ROPT,IPAR,RPAR,IERR)
        XD(J)=X(J)-D
        CALL EOM(M,N,T,XD,RM,IOPT,ROPT,IPAR,RPAR,IERR)
        XD(J)=X(J)
        L=0
        DO 60 K=1,6
          DO 50 I=1,MB(K)
            L=L+1
            ENTRY=0.D0
            IF (J.GT.N-NB(K)) ENTRY=
     #        FX(KB(K)+(J-N+NB(K)-1)*MB(K)+I-1)
            RSIZE(L)=MAX(RSIZE(L),ABS(ENTRY))
            RDEV(L)=MAX(RDEV(L),ABS(ENTRY+(RP(L)-RM(L))/(2.D0*D)))
   50     CONTINUE
   60   CONTINUE
   70 CONTINUE
      GOOD=.TRUE.
      L=0
      DO 80 K=1,6
        DO 75 I=1,MB(K)
          L=L+1
          DEV(K)=MAX(DEV(K),RDEV(L)/RSIZE(L))
   75   CONTINUE
        GOOD=GOOD.AND.DEV(K).LE.1.D-6
   80 CONTINUE
      WORD='FAIL'
      IF (GOOD) WORD='OK'
      IF (GOOD) NGOOD=NGOOD+1
      IF (.NOT.GOOD) NBAD=NBAD+1
      WRITE(6,100) T,WORD,(DEV(K),K=1,6)
      RETURN
  100 FORMAT(' JAC against differences, T=',F6.3,' : ',A4,' (',
     #       6(E7.1,1X),', allowed 0.1E-05)')
      END
C
C     VERIFY: a number that must not exceed a bound.
      SUBROUTINE VERIFY(TEXT,VALUE,BOUND,NGOOD,NBAD)
      IMPLICIT NONE
      CHARACTER*(*)    TEXT
      INTEGER          NGOOD,NBAD
      DOUBLE PRECISION VALUE,BOUND
      CHARACTER*4      WORD
      WORD='FAIL'
      IF (VALUE.LE.BOUND) WORD='OK'
      IF (WORD.EQ.'OK') NGOOD=NGOOD+1
      IF (WORD.NE.'OK') NBAD=NBAD+1
      WRITE(6,100) TEXT,WORD,VALUE,BOUND
      RETURN
  100 FORMAT('   ',A,' : ',A4,' (',E8.1,', allowed',E8.1,')')
      END
C
C     DEVMAX: largest deviation, relative where the value exceeds 1.
      DOUBLE PRECISION FUNCTION DEVMAX(N,X,Y)
      IMPLICIT NONE
      INTEGER          N,I
      DOUBLE PRECISION X(*),Y(*)
      DEVMAX=0.D0
      DO 10 I=1,N
        IF (.NOT.ABS(X(I)).LE.1.D300) DEVMAX=1.D300
        DEVMAX=MAX(DEVMAX,ABS(X(I)-Y(I))/MAX(1.D0,ABS(Y(I))))
   10 CONTINUE
      RETURN
      END
C
C     SIZMAX: largest absolute value, for residuals.
      DOUBLE PRECISION FUNCTION SIZMAX(N,X)
      IMPLICIT NONE
      INTEGER          N,I
      DOUBLE PRECISION X(*)
      SIZMAX=0.D0
      DO 10 I=1,N
        IF (.NOT.ABS(X(I)).LE.1.D300) SIZMAX=1.D300
        SIZMAX=MAX(SIZMAX,ABS(X(I)))
   10 CONTINUE
      RETURN
      END
C
C     SHOWRN: how a run was asked for, how it ended, and its counters.
      SUBROUTINE SHOWRN(TEXT,IOPT,IJAC,TOL,IDID,T,IWORK,NGOOD,NBAD)
      IMPLICIT NONE
      CHARACTER*(*)    TEXT
      INTEGER          IOPT(40),IJAC,IDID,IWORK(20),NGOOD,NBAD
      DOUBLE PRECISION TOL,T
      CHARACTER*4      WORD
      WRITE(6,100) TEXT,IOPT(5),IJAC,IOPT(11),TOL
      WORD='FAIL'
      IF (IDID.EQ.0) WORD='OK'
      IF (IDID.EQ.0) NGOOD=NGOOD+1
      IF (IDID.NE.0) NBAD=NBAD+1
      WRITE(6,110) IDID,T,WORD
      WRITE(6,120) IWORK(1),IWORK(10),IWORK(11),IWORK(2),IWORK(4),
     #             IWORK(7)
      RETURN
  100 FORMAT(/1X,A,', FORM=',I1,' IJAC=',I1,' DECOMPC=',I1,
     #       ' TOL=',E8.1)
  110 FORMAT('   finished with IDID=',I6,' at T=',F12.6,' : ',A4)
  120 FORMAT('   NACCPT=',I5,' NERJCT=',I4,' NCRJCT=',I4,' NEOM=',I6,
     #       ' NJAC=',I5,' NEDEC=',I5)
      END
C
C     FINISH: the last line; a failure also shows in the exit status.
      SUBROUTINE FINISH(NGOOD,NBAD)
      IMPLICIT NONE
      INTEGER          NGOOD,NBAD
      WRITE(6,100) NGOOD,NBAD
      IF (NBAD.GT.0) STOP 1
      RETURN
  100 FORMAT(/1X,I3,' checks OK, ',I3,' not')
      END
